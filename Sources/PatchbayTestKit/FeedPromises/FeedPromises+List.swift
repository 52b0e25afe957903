import PatchbayCore
import PatchbayDomain

extension FeedPromise {
    static let list: [FeedPromise] = [
        FeedPromise("list", "the rows of an ordered list ascend", pageOrder),
        FeedPromise(
            "list", "a page requested after a place contains only later rows", needs: .anyPosition, entered),
        FeedPromise("list", "the pages lead to the end of the list, each row once", needs: .wholeList, walk),
        FeedPromise(
            "list", "after the last row there is an empty page without a next one",
            needs: [.wholeList, .anyPosition], pastTheEnd),
        FeedPromise(
            "list", "a page is confirmed in reply to its own validator", needs: .validators, confirmed),
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

    private static func confirmed(_ bench: FeedBench) async throws {
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
