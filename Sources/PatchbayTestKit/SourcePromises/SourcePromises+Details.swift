import PatchbayCore
import PatchbayDomain

extension SourcePromise {
    static let details: [SourcePromise] = [
        SourcePromise(
            "details", "a listed user is told alone, under the same id and with a detail", needs: .details,
            detail),
        SourcePromise("details", "an unknown login is \"not found\"", needs: .details, unknownLogin),
        SourcePromise(
            "details", "a user is confirmed under its own validator", needs: [.details, .validators],
            confirmed),
    ]

    static let behaviour: [SourcePromise] = [
        SourcePromise("records", "every listed user can be stored and comes back equal", stored),
        SourcePromise("errors", "a link that it never gave is refused with a PatchbayError", foreignLink),
        SourcePromise(
            "errors", "a cancelled question is answered, or ends with CancellationError", cancelled),
        SourcePromise("concurrency", "questions asked at once get the answers they get alone", atOnce),
    ]

    private static func detail(_ bench: SourceBench) async throws {
        for listed in try await bench.firstPage().page.users.prefix(3) {
            let user = try await bench.user(listed.login).user
            try expect(user.id, equals: listed.id, "the id of \"\(listed.login)\", told alone")
            guard user.detail != nil else {
                throw BrokenPromise("\"\(listed.login)\", told alone, has no detail")
            }
        }
    }

    private static func unknownLogin(_ bench: SourceBench) async throws {
        try await expectRefusal(.notFound, of: "a login that nobody has") {
            try await bench.user("nobody-has-this-login")
        }
    }

    private static func confirmed(_ bench: SourceBench) async throws {
        let login = try await bench.firstPage().page.users[0].login
        let validator = try await bench.user(login).validator
        guard case .unchanged = try await bench.users.user(login, ifChangedFrom: validator) else {
            throw BrokenPromise(
                "\"\(login)\", asked with the validator of the answer before: expected \"unchanged\"")
        }
    }

    private static func stored(_ bench: SourceBench) async throws {
        let users = try await bench.firstPage().page.users
        let store = try await Store(MemoryStorage(), schema: .patchbay)
        for user in users {
            let record = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 0))
            try await store.write { try $0.put(record) }
            let read = try await store.read { try $0.get(StoredUser.self, .integer(user.id)) }
            try expect(read?.user, equals: user, "the user \(user.id), read from a storage")
        }
        try await store.close()
    }

    private static func foreignLink(_ bench: SourceBench) async throws {
        do {
            _ = try await bench.users.users(.next("no page at all"), ifChangedFrom: Validator())
        } catch is PatchbayError {
            return
        } catch {
            throw BrokenPromise("a link that it never gave: expected a PatchbayError", cause: error)
        }
        throw BrokenPromise("a link that it never gave was answered")
    }

    private static func cancelled(_ bench: SourceBench) async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await bench.users.users(.after(0), ifChangedFrom: Validator())
        }
        do {
            try await task.value
        } catch is CancellationError {
        } catch {
            throw BrokenPromise("a cancelled question ends with another error", cause: error)
        }
    }

    private static func atOnce(_ bench: SourceBench) async throws {
        let alone = try await bench.firstPage().page.users
        try await withThrowingTaskGroup(of: [User].self) { group in
            for _ in 0..<8 { group.addTask { try await bench.page(.after(0)).page.users } }
            for try await users in group {
                try expect(users.map(\.id), equals: alone.map(\.id), "one of eight questions at once")
            }
        }
    }
}
