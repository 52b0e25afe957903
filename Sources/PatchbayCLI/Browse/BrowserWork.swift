import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import Synchronization

/// Does what a browser wants done with a gateway, and puts what comes of it into the inbox.
final class BrowserWork: Sendable {
    private let gateway: Gateway
    private let window: Window<UserList>
    private let inbox: BrowserInbox
    private let isOffline: Bool
    /// What is under way, one of a kind: a new search ends the one before.
    private let tasks = Mutex<[Kind: Task<Void, Never>]>([:])

    private enum Kind { case watch, move, refresh, search, detail, change }

    init(_ gateway: Gateway, _ inbox: BrowserInbox, size: Int, maximum: Int?, isOffline: Bool) {
        self.gateway = gateway
        self.inbox = inbox
        self.isOffline = isOffline
        window = gateway.usersWindow(size: size, maximum: maximum, isOffline: isOffline)
    }

    /// Shows the list from an id on, and keeps telling how it changes.
    func start(after id: Int64) {
        run(.watch) { [self] in
            for await state in await window.states() { await tell(state) }
        }
        run(.move) { [self] in
            let state = await window.jump(to: .at(id < .max ? id + 1 : id))
            await tell(state)
            inbox.put(.moved)
            // What was stored already is confirmed beside it.
            guard !isOffline, let first = state.items.first, !isRecent(state) else { return }
            let stretch = state.stretch(around: 0)
            start(.refresh(after: first.user.id - 1, limit: stretch.count))
        }
    }

    /// Begins an effect and returns at once.
    func start(_ effect: BrowserEffect) {
        switch effect {
        case .next(let count): move { await $0.next(count) }
        case .previous(let count): move { await $0.previous(count) }
        case .jump(let id): move { await $0.jump(to: .at(id)) }
        case .jumpToStart: move { await $0.jump(to: .start) }
        case .jumpToEnd: move { await $0.jumpToEnd() }
        case .resize(let size): run(.watch, replacing: false) { [self] in await window.resize(to: size) }
        case .refresh(let id, let limit): run(.refresh) { [self] in await refresh(after: id, limit: limit) }
        case .search(let text): run(.search) { [self] in await search(text) }
        case .show(let login, let policy): run(.detail) { [self] in await show(login, policy) }
        case .edit(let login, let name):
            change { try await $0.editUser(login, name: name).value.told("is shown as") }
        case .revert(let login):
            change { try await $0.revertUser(login).value.told("is again shown as") }
        case .favourite(let login, let isFavourite): mark(login, isFavourite)
        case .suspend, .repaint, .quit: preconditionFailure("the terminal's own effects end there")
        }
    }

    /// Ends what is under way.
    func cancel() { for task in tasks.withLock({ $0.values.map { $0 } }) { task.cancel() } }
}

extension BrowserWork {
    private func run(
        _ kind: Kind, replacing: Bool = true, _ body: @escaping @Sendable () async -> Void
    ) {
        let task = Task { await body() }
        guard replacing else { return }
        tasks.withLock { $0.updateValue(task, forKey: kind) }?.cancel()
    }

    private func move(_ step: @escaping @Sendable (Window<UserList>) async -> Browser.Window) {
        run(.move) { [self] in
            await tell(await step(window))
            if !Task.isCancelled { inbox.put(.moved) }
        }
    }

    private func tell(_ state: Browser.Window) async {
        await told { [gateway, inbox] in
            let favourites = try await gateway.findFavourites(among: state.items.map(\.user))
            inbox.put(.window(state, favourites: favourites))
        }
    }

    /// Whether the source has just told all of it.
    private func isRecent(_ state: Browser.Window) -> Bool {
        state.items.allSatisfy { $0.fetchedAt.age(at: Timestamp.now()) < .seconds(60) }
    }

    private func refresh(after id: Int64, limit: Int) async {
        let answers = gateway.listUsers(after: id, limit: limit, policy: .remoteFirst)
        for await answer in answers where answer.outcome.isEnding { note(answer.outcome) }
        inbox.put(.answered)
    }

    private func show(_ login: String, _ policy: Policy) async {
        for await answer in gateway.showUser(login, policy: policy) where !Task.isCancelled {
            inbox.put(.detail(answer.value, isEnding: answer.outcome.isEnding))
            if policy == .remoteFirst || answer.outcome.isFailure { note(answer.outcome) }
        }
    }

    private func search(_ text: String) async {
        await told { [gateway, inbox] in
            let found = try await gateway.findStoredUsers(text)
            let favourites = try await gateway.findFavourites(among: found.users.map(\.user))
            try Task.checkCancellation()
            inbox.put(
                .found(
                    Browser.Found(text: text, users: found.users, isComplete: found.isComplete),
                    favourites: favourites))
        }
    }

    private func change(_ body: @escaping @Sendable (Gateway) async throws -> (StoredUser, String)) {
        run(.change, replacing: false) { [self] in
            await told { [gateway, inbox] in
                let (user, text) = try await body(gateway)
                inbox.put(.changed(user))
                inbox.put(.note(Browser.Note(text: text)))
            }
        }
    }

    private func mark(_ login: String, _ isFavourite: Bool) {
        run(.change, replacing: false) { [self] in
            await told { [gateway, inbox] in
                let id: Int64
                if isFavourite {
                    id = try await gateway.addFavourite(login).value.id
                } else {
                    id = try await gateway.removeFavourite(login).id
                }
                inbox.put(.favourite(id, isFavourite))
                let word = isFavourite ? "is a favourite now" : "is no favourite any more"
                inbox.put(.note(Browser.Note(text: "\(login) \(word)")))
            }
        }
    }

    /// Runs `body`; what it throws is told.
    private func told(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            // Something newer was wanted.
        } catch {
            let text = (error as? PatchbayError)?.line ?? "\(error)"
            inbox.put(.note(Browser.Note(text: text, isError: true)))
        }
    }

    private func note(_ outcome: Outcome) {
        switch outcome {
        case .stored, .localOnly: break
        case .fresh:
            let recorded = gateway.source.recording.map { "recorded in \($0)" }
            inbox.put(.note(Browser.Note(text: recorded ?? "fresh from \(gateway.source.name)")))
        case .unchanged: inbox.put(.note(Browser.Note(text: "unchanged at \(gateway.source.name)")))
        case .failed(let error):
            let text = "\(error.failure(of: gateway.source.name)): \(error.line)"
            inbox.put(.note(Browser.Note(text: text, isError: true)))
        }
    }
}

extension Outcome {
    fileprivate var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension StoredUser {
    fileprivate func told(_ verb: String) -> (StoredUser, String) {
        (self, "\(user.login) \(verb) \(user.name.map { "\"\($0)\"" } ?? "having no name")")
    }
}
