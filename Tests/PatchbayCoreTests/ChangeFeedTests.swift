@testable import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("change feed", .timeLimit(.minutes(5))) struct ChangeFeedTests {
    @Test("an observer receives the collections of each commit")
    func notices() async {
        let feed = ChangeFeed()
        var notices = feed.stream().makeAsyncIterator()
        feed.send(["users"])
        #expect(await notices.next() == ["users"])
        feed.send(["repositories"])
        #expect(await notices.next() == ["repositories"])
    }

    @Test("a slow observer receives missed changes in one notice")
    func merged() async {
        let feed = ChangeFeed()
        var slow = feed.stream().makeAsyncIterator()
        for number in 0..<1_000 { feed.send(["c\(number % 3)"]) }
        #expect(await slow.next() == ["c0", "c1", "c2"])
        feed.send(["last"])
        #expect(await slow.next() == ["last"])
    }

    @Test("every observer receives every notice, and no empty ones")
    func several() async {
        let feed = ChangeFeed()
        var first = feed.stream().makeAsyncIterator(), second = feed.stream().makeAsyncIterator()
        feed.send([])
        feed.send(["users"])
        #expect(await first.next() == ["users"])
        #expect(await second.next() == ["users"])
    }

    @Test("notices are never empty while commits continue")
    func neverEmpty() async {
        let feed = ChangeFeed()
        let stream = feed.stream()
        let sending = Task {
            for number in 0..<2_000 { feed.send([number == 1_999 ? "end" : "users"]) }
        }
        for await notice in stream {
            #expect(!notice.isEmpty)
            if notice.contains("end") { break }
        }
        await sending.value
    }

    @Test("observers may be cancelled while commits are reported")
    func cancelledMeanwhile() async {
        let feed = ChangeFeed()
        let sending = Task {
            while !Task.isCancelled {
                feed.send(["users"])
                // Other tests run on the same few threads, so each turn may take long.
                await Task.yield()
            }
        }
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<40 {
                        let observing = Task {
                            await withTaskGroup { group in
                                group.addTask { for await _ in feed.stream() {} }
                            }
                        }
                        await Task.yield()
                        observing.cancel()
                        await observing.value
                    }
                }
            }
        }
        sending.cancel()
        await sending.value
        #expect(feed.observerCount == 0)
    }

    @Test("the notices end when the feed is released")
    func feedGoes() async {
        var feed: ChangeFeed? = ChangeFeed()
        let stream = feed!.stream()
        feed!.send(["users"])
        feed = nil
        var notices: [Set<String>] = []
        for await notice in stream { notices.append(notice) }
        #expect(notices.count <= 1)
    }

    @Test("a cancelled observer ends and is forgotten")
    func cancelled() async throws {
        let feed = ChangeFeed()
        let observing = Task {
            for await _ in feed.stream() {}
            return true
        }
        while feed.observerCount == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        observing.cancel()
        #expect(await observing.value)
        while feed.observerCount > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("a dropped stream is forgotten")
    func dropped() async {
        let feed = ChangeFeed()
        do {
            var notices = feed.stream().makeAsyncIterator()
            feed.send(["users"])
            _ = await notices.next()
        }
        #expect(feed.observerCount == 0)
    }
}
