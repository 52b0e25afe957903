import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("The work of the browser")
struct BrowserWorkTests {
    @Test("rows that were read before a row was marked or unmarked show the mark", arguments: [true, false])
    func lateRows(_ isFavourite: Bool) async throws {
        let storage = PausingStorage()
        let gateway = try await Gateway(
            storage: storage, source: ScriptedFeed(people: 1...5).source(),
            now: { Timestamp(milliseconds: 1_790_000_000_000) })
        let people = try gateway.resource("people"), question = try gateway.question(people)
        for await _ in gateway.list(question, limit: 5, policy: .remoteFirst) {}
        if !isFavourite { _ = try await gateway.addFavourite(people, "user-3") }
        let inbox = try BrowserInbox()
        let browser = Browser(
            of: people, source: "scripted", isOffline: true, orders: [],
            size: ScreenSize(columns: 80, rows: 6))
        let work = try BrowserWork(gateway, browser, inbox, maximum: nil) { _ in question }

        // The second read of a filter is that of the favourites among its rows.
        storage.pauseAfterRead(2)
        work.start(.search("user"))
        await storage.isPaused()
        work.start(.favourite("user-3", isFavourite))
        var events: [BrowserEvent] = []
        func take(until isLast: (BrowserEvent) -> Bool) async {
            while !events.contains(where: isLast) {
                events += inbox.take()
                await Task.yield()
            }
        }
        await take { if case .favourite = $0 { true } else { false } }
        storage.resume()
        await take { if case .found = $0 { true } else { false } }
        let marks = events.compactMap { event in
            if case .found(_, let favourites) = event { favourites.contains(.integer(3)) } else { nil }
        }
        #expect(marks == [isFavourite])
        try await gateway.close()
    }
}

/// A memory storage that holds back the result of one read.
private final class PausingStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let readsLeft = Mutex<Int?>(nil)
    private let (pauses, paused) = AsyncStream.makeStream(of: Void.self)
    private let (releases, released) = AsyncStream.makeStream(of: Void.self)

    func pauseAfterRead(_ number: Int) { readsLeft.withLock { $0 = number } }

    func isPaused() async { for await _ in pauses {} }

    func resume() { released.finish() }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let result = try await inner.read(body)
        let isHeld = readsLeft.withLock { left in
            left = left.map { $0 - 1 }
            return left == 0
        }
        if isHeld {
            paused.finish()
            for await _ in releases {}
        }
        return result
    }
}
