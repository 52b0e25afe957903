import PatchbayCore
import PatchbayDomain

extension FeedPromise {
    static let items: [FeedPromise] = [
        FeedPromise(
            "items", "a listed row is also returned by itself, with the same key and with details",
            needs: .details,
            detail),
        FeedPromise("items", "an unknown handle is \"not found\"", needs: .details, unknownHandle),
        FeedPromise(
            "items", "a row is confirmed in reply to its own validator", needs: [.details, .validators],
            confirmedRow),
    ]

    static let behaviour: [FeedPromise] = [
        FeedPromise("rows", "every listed row can be stored and comes back equal", stored),
        FeedPromise(
            "errors", "a next page that was never named is refused with a PatchbayError", unknownNext),
        FeedPromise(
            "errors", "a cancelled request is answered, or ends with CancellationError", cancelled),
        FeedPromise(
            "concurrency", "concurrent requests get the same answers as single ones", atOnce),
    ]

    private static func detail(_ bench: FeedBench) async throws {
        let details = bench.resource.fields.filter(\.declaration.isDetail)
        for listed in try await bench.firstPage().page.items.prefix(3) {
            let item = try await bench.item(listed.handle).item
            try expect(item.key, equals: listed.key, "the key of \"\(listed.handle)\", returned alone")
            guard details.isEmpty || details.contains(where: { item.known.contains(position: $0.place) })
            else { throw BrokenPromise("\"\(listed.handle)\", returned alone, has no details") }
        }
    }

    private static func unknownHandle(_ bench: FeedBench) async throws {
        // Every handle of the resource has this number of parts.
        let parts = bench.resource.declaration.handle?.parts.count ?? 1
        let handle = Array(repeating: "nobody-has-this-handle", count: parts).joined(separator: "/")
        try await expectRefusal(.notFound, of: "a handle that no row has") { try await bench.item(handle) }
    }

    private static func confirmedRow(_ bench: FeedBench) async throws {
        let handle = try await bench.firstPage().page.items[0].handle
        let validator = try await bench.item(handle).validator
        let fetched = try await bench.feed.item(handle, of: bench.resource, ifChangedFrom: validator)
        guard case .unchanged = fetched else {
            throw BrokenPromise(
                "\"\(handle)\", requested with the validator of the answer before: expected \"unchanged\"")
        }
    }

    private static func stored(_ bench: FeedBench) async throws {
        let items = try await bench.firstPage().page.items
        let collection = bench.resource.collection
        let store = try await Store(MemoryStorage(), schema: Schema(version: 1, [collection]))
        for item in items {
            try await store.write { writing in
                var builder = RowBuilder()
                let state = ItemState(fetchedAt: Timestamp(milliseconds: 0))
                ItemPacking(item, over: nil, state: state).write(to: &builder)
                try writing.put(try builder.finish(), in: collection)
            }
            let read = try await store.read { reading in
                var read: Item?
                _ = try reading.get(item.key, in: collection) { read = Item($0, of: item.resource) }
                return read
            }
            guard read == item else { throw BrokenPromise("\"\(item.handle)\" differs once it is stored") }
        }
        try await store.close()
    }

    private static func unknownNext(_ bench: FeedBench) async throws {
        do {
            _ = try await bench.ask(next: "no page at all")
        } catch is PatchbayError {
            return
        } catch {
            throw BrokenPromise("a next page that was never named: expected a PatchbayError", cause: error)
        }
        throw BrokenPromise("a next page that was never named was answered")
    }

    private static func cancelled(_ bench: FeedBench) async throws {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            _ = try await bench.ask()
        }
        do {
            try await task.value
        } catch is CancellationError {
        } catch {
            throw BrokenPromise("a cancelled request ends with another error", cause: error)
        }
    }

    private static func atOnce(_ bench: FeedBench) async throws {
        let alone = try await bench.firstPage().page.items.map(\.key)
        try await withThrowingTaskGroup(of: [Key].self) { group in
            for _ in 0..<8 { group.addTask { try await bench.page().page.items.map(\.key) } }
            for try await keys in group {
                try expect(keys, equals: alone, "one of eight requests at the same time")
            }
        }
    }

    static let list: [FeedPromise] = [
        FeedPromise("list", "the rows of an ordered list ascend", pageOrder),
        FeedPromise(
            "list", "a page requested after a place contains only later rows", needs: .anyPosition, entered),
        FeedPromise(
            "list", "a page requested after a place begins with the row that follows in the list",
            needs: [.wholeList, .anyPosition], nothingBetween),
        FeedPromise(
            "list", "a next page is returned in another run of the program", anotherRun),
        FeedPromise("list", "the pages lead to the end of the list, each row once", needs: .wholeList, walk),
        FeedPromise(
            "list", "after the last row there is an empty page without a next one",
            needs: [.wholeList, .anyPosition], pastTheEnd),
        FeedPromise(
            "list", "a page is confirmed in reply to its own validator", needs: .validators, confirmedPage),
        FeedPromise("list", "a page is sent again in reply to a different validator", notConfirmed),
    ]

    private static func expectOrder(
        _ items: [Item], after place: Int64 = .min, _ steps: String
    ) throws {
        guard let resource = items.first?.resource, let field = resource.order else { return }
        var last = place
        for item in items {
            guard let order = item.order else {
                throw BrokenPromise("\(steps): \"\(item.handle)\" has no \(field.name)")
            }
            guard order > last else {
                throw BrokenPromise("\(steps): the \(field.name) \(order) comes after \(last)")
            }
            last = order
        }
    }

    private static func pageOrder(_ bench: FeedBench) async throws {
        let page = try await bench.firstPage().page
        try expectOrder(page.items, "the first page")
        guard let next = page.next else { return }
        try expectOrder(try await bench.page(next: next).page.items, "the page \"\(next)\"")
    }

    private static func entered(_ bench: FeedBench) async throws {
        let items = try await bench.firstPage().page.items
        for item in [items[0], items[items.count / 2], items[items.count - 1]] {
            guard let place = item.order else { throw BrokenPromise("\"\(item.handle)\" has no order") }
            let page = try await bench.page(after: place).page
            try expectOrder(page.items, after: place, "a page entered after \(place)")
        }
    }

    private static func nothingBetween(_ bench: FeedBench) async throws {
        let pages = try await bench.pages(), items = pages.flatMap(\.items)
        let ends = pages.indices.map { pages[...$0].reduce(0) { $0 + $1.items.count } }
        // The last row before each page, and one within the first page.
        for next in [1] + ends.prefix(3) where next > 0 && next < items.count {
            guard let place = items[next - 1].order else { return }
            let page = try await bench.page(after: place).page.items.map(\.handle)
            try expect(
                page, equals: items[next...].prefix(page.count).map(\.handle),
                "the page entered after \(place), as against the pages that follow one another")
            guard !page.isEmpty else { throw BrokenPromise("the page entered after \(place) has no rows") }
        }
    }

    private static func anotherRun(_ bench: FeedBench) async throws {
        guard let next = try await bench.firstPage().page.next else { return }
        try expect(
            await bench.another().page(next: next).page.items.map(\.handle),
            equals: await bench.page(next: next).page.items.map(\.handle),
            "the page \"\(next)\" in another run")
    }

    private static func walk(_ bench: FeedBench) async throws {
        let items = try await bench.pages().flatMap(\.items)
        try expectOrder(items, "all pages together")
        var keys: Set<Key> = []
        for item in items where !keys.insert(item.key).inserted {
            throw BrokenPromise("the pages together: \"\(item.handle)\" occurs twice")
        }
    }

    private static func pastTheEnd(_ bench: FeedBench) async throws {
        guard let last = try await bench.pages().flatMap(\.items).last?.order else { return }
        let page = try await bench.page(after: last).page
        try expect(page.items.map(\.handle), equals: [], "the page entered after the last row, \(last)")
        try expect(page.next, equals: nil, "the page after the end")
    }

    private static func confirmedPage(_ bench: FeedBench) async throws {
        let (page, validator) = try await bench.firstPage()
        guard validator != Validator() else { throw BrokenPromise("the first page has no validator") }
        guard case .unchanged = try await bench.ask(validator) else {
            throw BrokenPromise(
                "a page requested with the validator of the answer before: expected \"unchanged\", got "
                    + "\(page.items.count) rows")
        }
    }

    private static func notConfirmed(_ bench: FeedBench) async throws {
        let (page, validator) = try await bench.firstPage()
        var other = validator
        other.entityTag = "\"of-another-answer\""
        other.lastModified = nil
        guard case .changed(let again, _) = try await bench.ask(other) else {
            throw BrokenPromise(
                "a page requested with an entity tag that it never had was answered with \"unchanged\"")
        }
        try expect(again.items.map(\.key), equals: page.items.map(\.key), "the page requested again")
    }
}
