package import Patchbay
import Synchronization

/// Carries out a browser's effects with a gateway, and puts the results into the inbox.
package final class BrowserWork: Sendable {
    private let gateway: Gateway
    private let resource: Resource
    private let question: NamedQuestion
    private let window: Window<ListedItem, ListPosition>
    private let children: VisibleChildren?
    private let inbox: BrowserInbox
    private let isOffline: Bool
    /// The running tasks, at most one of each kind: a new filter cancels the previous one.
    private let tasks = Mutex<[Kind: Task<Void, Never>]>([:])
    /// The number of marks that were changed and whose events are in the inbox.
    private let marks = Mutex(0)

    private enum Kind { case watch, children, move, refresh, search, detail, change }

    /// - Parameters:
    ///   - browser: the browser whose effects it carries out.
    ///   - question: returns the list to browse, entered after a value of its order.
    package init(
        _ gateway: Gateway, _ browser: Browser, _ inbox: BrowserInbox, maximum: Int?,
        question: (_ after: Int64) throws -> NamedQuestion
    ) throws {
        self.gateway = gateway
        resource = browser.resource
        self.inbox = inbox
        isOffline = browser.isOffline
        children = try browser.children.map {
            try gateway.visibleChildren(
                gateway.resource($0.declaration.name), policy: browser.isOffline ? .localOnly : .localFirst)
        }
        self.question = try question(0)
        window = gateway.window(
            self.question, size: browser.windowSize, maximum: maximum, wraps: browser.ring != nil,
            isOffline: isOffline)
    }

    /// Shows the list after a value of its order, and keeps reporting its changes.
    package func start(after value: Int64) {
        run(.watch) { [self] in
            for await state in await window.states() { await show(state) }
        }
        if let children {
            run(.children) { [self] in
                for await arrival in children.arrivals {
                    inbox.put(.children(arrival.parent.key, arrival.answer))
                }
            }
        }
        run(.move) { [self] in
            let position = ListPosition(value < .max ? value + 1 : value)
            let state = await window.jump(to: resource.order == nil ? .start : .at(position))
            await show(state)
            inbox.put(.moved(by: .jumpToStart))
            // Rows that were already stored are confirmed in the background.
            guard !isOffline, let first = state.items.first, !isRecent(state) else { return }
            let stretch = state.stretch(around: 0)
            start(.refresh(from: first.position, limit: stretch.count))
        }
    }

    /// Begins an effect and returns at once.
    package func start(_ effect: BrowserEffect) {
        switch effect {
        case .next(let count): move(effect) { await $0.next(count) }
        case .previous(let count): move(effect) { await $0.previous(count) }
        case .jump(let position): move(effect) { await $0.jump(to: .at(position)) }
        case .jumpToStart: move(effect) { await $0.jump(to: .start) }
        case .jumpToEnd: move(effect) { await $0.jumpToEnd() }
        case .resize(let size): run(.watch, replacing: false) { [self] in await window.resize(to: size) }
        case .refresh(let position, let limit):
            run(.refresh) { [self] in await refresh(from: position, limit: limit) }
        case .search(let text): run(.search) { [self] in await search(text) }
        case .sort(let order, let bounds, let limit):
            run(.search) { [self] in await sort(order, bounds, limit) }
        case .show(let handle, let policy): run(.detail) { [self] in await show(handle, policy) }
        case .edit(let handle, let field, let text):
            change(field, "is shown as") { try await $0.edit($1, handle, field, to: text) }
        case .revert(let handle, let field):
            change(field, "is again shown as") { try await $0.revert($1, handle, field) }
        case .favourite(let handle, let isFavourite): mark(handle, isFavourite)
        case .suspend, .repaint, .quit: preconditionFailure("the terminal's own effects end there")
        }
    }

    /// Cancels the running tasks.
    package func cancel() { for task in tasks.withLock({ $0.values.map { $0 } }) { task.cancel() } }

    private func run(
        _ kind: Kind, replacing: Bool = true, _ body: @escaping @Sendable () async -> Void
    ) {
        let task = Task { await body() }
        guard replacing else { return }
        tasks.withLock { $0.updateValue(task, forKey: kind) }?.cancel()
    }

    private func move(
        _ effect: BrowserEffect,
        _ step: @escaping @Sendable (Window<ListedItem, ListPosition>) async -> Browser.Window
    ) {
        run(.move) { [self] in
            await show(await step(window))
            if !Task.isCancelled { inbox.put(.moved(by: effect)) }
        }
    }

    private func show(_ state: Browser.Window) async {
        // Children of rows that have left the window are not requested any more.
        await children?.show(state.items.map(\.item))
        await noting {
            try await putFavourites(among: state.items.map(\.item)) { .window(state, favourites: $0) }
        }
    }

    /// Puts an event with the favourites among some items. They are read again if a mark was changed meanwhile, because
    /// the event would take it back.
    private func putFavourites(
        among items: [Item], _ event: (Set<Key>) -> BrowserEvent
    ) async throws {
        var isCurrent = false
        while !isCurrent {
            let before = marks.withLock { $0 }
            let favourites = try await gateway.favourites(among: items)
            try Task.checkCancellation()
            isCurrent = marks.withLock { now in
                guard now == before else { return false }
                inbox.put(event(favourites))
                return true
            }
        }
    }

    /// Returns whether the source has just returned all of its rows.
    private func isRecent(_ state: Browser.Window) -> Bool {
        state.items.allSatisfy { row in
            row.item.state.fetchedAt?.storedAge(at: Timestamp.now()).map { $0 < .seconds(60) } ?? false
        }
    }

    /// Refreshes a stretch of an ordered list. A list whose pages link to each other is refreshed from its start, where
    /// new rows appear.
    private func refresh(from position: ListPosition, limit: Int) async {
        var question = question
        if resource.order != nil { question.after = position.number - 1 }
        let answers = gateway.list(question, limit: limit, policy: .remoteFirst)
        for await answer in answers where answer.outcome.isEnding { note(answer.outcome) }
        // Rows that become visible again have their children checked.
        await children?.show([])
        await children?.show(window.state.items.map(\.item))
        inbox.put(.answered)
    }

    private func show(_ handle: String, _ policy: Policy) async {
        for await answer in gateway.show(resource, handle, policy: policy) where !Task.isCancelled {
            inbox.put(.detail(answer.value, isEnding: answer.outcome.isEnding))
            if policy == .remoteFirst || answer.outcome.error != nil { note(answer.outcome) }
        }
    }

    private func search(_ text: String) async {
        await noting { [gateway, resource] in
            let found = try await gateway.matches(resource, text)
            try await show(
                Browser.Found(
                    subject: .beginning(text), items: found.items, isComplete: found.isComplete))
        }
    }

    private func sort(_ order: BrowserOrder, _ bounds: Bounds, _ limit: Int) async {
        await noting { [gateway, resource] in
            let query = Query(resource.collection, by: order.index, bounds, order: order.direction)
            let items = try await gateway.store.read {
                try $0.listedItems(query, of: resource, limit: limit + 1)
            }
            try await show(
                Browser.Found(
                    subject: .order(order), items: Array(items.prefix(limit)),
                    isComplete: items.count <= limit))
        }
    }

    private func show(_ found: Browser.Found) async throws {
        try await putFavourites(among: found.items) { .found(found, favourites: $0) }
    }

    private func change(
        _ field: String, _ verb: String,
        _ body: @escaping @Sendable (Gateway, Resource) async throws -> Edited<Item>
    ) {
        run(.change, replacing: false) { [self] in
            await noting { [gateway, resource, inbox] in
                let edited = try await body(gateway, resource)
                inbox.put(.changed(edited.value))
                inbox.put(.note(Browser.Note(text: edited.line(verb, field))))
            }
        }
    }

    private func mark(_ handle: String, _ isFavourite: Bool) {
        run(.change, replacing: false) { [self] in
            await noting {
                let favourite =
                    isFavourite
                    ? try await gateway.addFavourite(resource, handle).value
                    : try await gateway.removeFavourite(resource, handle)
                if let key = KeyText.key(favourite.row.text, of: resource) {
                    marks.withLock { marks in
                        marks += 1
                        inbox.put(.favourite(key, isFavourite))
                    }
                }
                let word = isFavourite ? "is now a favourite" : "is no longer a favourite"
                inbox.put(.note(Browser.Note(text: "\(handle) \(word)")))
            }
        }
    }

    /// Runs `body` and shows an error that it throws as a note.
    private func noting(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            // A newer action has replaced this one.
        } catch {
            let text = (error as? PatchbayError)?.oneLine ?? "\(error)"
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
            let text = "\(error.failure(of: gateway.source.name)): \(error.oneLine)"
            inbox.put(.note(Browser.Note(text: text, isError: true)))
        }
    }
}
