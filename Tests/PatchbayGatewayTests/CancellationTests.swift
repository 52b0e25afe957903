import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("A cancelled task")
struct CancellationTests {
    private let feed = WaitingFeed()

    private func gateway() async throws -> Gateway { try await ResourceFixture { _ in feed }.gateway }

    /// Cancels a task while its request is in flight; the gateway must be usable afterwards.
    private func cancelling<Result: Sendable>(
        _ body: @escaping @Sendable (Gateway) async throws -> Result
    ) async throws -> Swift.Result<Result, any Error> {
        let gateway = try await gateway()
        let task = Task { try await body(gateway) }
        await feed.isAsked()
        task.cancel()
        let result = await task.result
        try await gateway.clearPeople()
        try await gateway.close()
        return result
    }

    @Test("ends answers with the code cancelled")
    func streams() async throws {
        let lists = try await cancelling { gateway in
            try await gateway.listPeople(policy: .remoteFirst).all.map(\.failure)
        }
        #expect(try lists.get() == [.cancelled])
        let shows = try await cancelling { gateway in
            try await gateway.show("people", "ada").all.map(\.failure)
        }
        #expect(try shows.get() == [.cancelled])
    }

    @Test("ends throwing use cases with CancellationError")
    func throwing() async throws {
        let first = try await cancelling { try await $0.initialize($0.people()) }
        #expect(throws: CancellationError.self) { _ = try first.get() }
        let details = try await cancelling { gateway in
            try await gateway.refresh(gateway.resource("people"), ["ada", "grace"])
        }
        #expect(throws: CancellationError.self) { _ = try details.get() }
    }

    @Test("ends watching")
    func watching() async throws {
        let gateway = try await gateway()
        let changes = try gateway.watchPeople()
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for try await _ in changes { look.finish() }
        }
        for await _ in looks {}
        task.cancel()
        try await task.value
        try await gateway.close()
    }

    @Test("ends a digest, an export, an import or a check between two batches")
    func batches() async throws {
        let gateway = try await ResourceFixture().gateway, store = gateway.store
        try await gateway.put(ScriptedFeed.people(1...50))
        let people = try gateway.resource("people").collection
        let text = try await exported(store)
        let operations: [@Sendable () async throws -> Void] = [
            { _ = try await store.storage.digest(of: people) },
            { _ = try await exported(store) },
            { try await importing(text, to: store) },
            { _ = try await store.verify() },
        ]
        for operation in operations {
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await operation()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await importing(text, to: store)
        #expect(try await store.verify().faults.isEmpty)
        try await store.close()
    }

    private func exported(_ store: Store) async throws -> [UInt8] {
        var text: [UInt8] = []
        _ = try await ExportRows(store, nil, as: .jsonl).run { text += $0 }
        return text
    }

    private func importing(_ text: [UInt8], to store: Store) async throws {
        var rest = text
        _ = try await ImportRows(store, nil, as: .jsonl, name: "people.jsonl").run { count in
            defer { rest.removeFirst(min(count, rest.count)) }
            return Array(rest.prefix(count))
        }
    }
}

extension Answer {
    fileprivate var failure: PatchbayError.Code? {
        guard case .failed(let error) = outcome else { return nil }
        return error.code
    }
}
