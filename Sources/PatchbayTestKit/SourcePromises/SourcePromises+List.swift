import PatchbayCore
import PatchbayDomain

extension SourcePromise {
    static let list: [SourcePromise] = [
        SourcePromise("list", "the users of a page stand in the order of their ids", pageOrder),
        SourcePromise("list", "a page behind an id holds greater ids only", needs: .anyPosition, behind),
        SourcePromise(
            "list", "the pages lead to the end of the list, each user once", needs: .wholeList, wholeWalk),
        SourcePromise(
            "list", "behind the last user there is an empty page without a next one",
            needs: [.wholeList, .anyPosition], behindTheEnd),
        SourcePromise("list", "a page is confirmed under its own validator", needs: .validators, confirmed),
        SourcePromise("list", "a page is told anew under another validator", notConfirmed),
    ]

    private static func expectOrder(_ users: [User], behind id: Int64, _ steps: String) throws {
        var last = id
        for user in users {
            guard user.id > last else {
                throw BrokenPromise("\(steps): the id \(user.id) stands behind \(last)")
            }
            last = user.id
        }
    }

    private static func pageOrder(_ bench: SourceBench) async throws {
        let page = try await bench.firstPage().page
        try expectOrder(page.users, behind: 0, "the first page")
        guard let next = page.next else { return }
        try expectOrder(try await bench.page(.next(next)).page.users, behind: 0, "the page \"\(next)\"")
    }

    private static func behind(_ bench: SourceBench) async throws {
        let users = try await bench.firstPage().page.users
        for user in [users[0], users[users.count / 2], users[users.count - 1]] {
            let page = try await bench.page(.after(user.id)).page
            try expectOrder(page.users, behind: user.id, "asked for the users after \(user.id)")
        }
    }

    private static func wholeWalk(_ bench: SourceBench) async throws {
        let users = try await bench.pages().flatMap(\.users)
        try expectOrder(users, behind: 0, "all pages put together")
    }

    private static func behindTheEnd(_ bench: SourceBench) async throws {
        guard let last = try await bench.pages().flatMap(\.users).last else { return }
        let page = try await bench.page(.after(last.id)).page
        try expect(page.users.map(\.id), equals: [], "asked for the users after the last, \(last.id)")
        try expect(page.next, equals: nil, "the page behind the end")
    }

    private static func confirmed(_ bench: SourceBench) async throws {
        let (page, validator) = try await bench.firstPage()
        guard validator != Validator() else { throw BrokenPromise("the first page has no validator") }
        guard case .unchanged = try await bench.users.users(.after(0), ifChangedFrom: validator) else {
            throw BrokenPromise(
                "asked with the validator of the answer before: expected \"unchanged\", got a page of "
                    + "\(page.users.count) users")
        }
    }

    private static func notConfirmed(_ bench: SourceBench) async throws {
        let (page, validator) = try await bench.firstPage()
        var other = validator
        other.entityTag = "\"of-another-answer\""
        other.lastModified = nil
        guard case .changed(let again, _) = try await bench.users.users(.after(0), ifChangedFrom: other)
        else {
            throw BrokenPromise("asked with an entity tag that it never gave: the source says \"unchanged\"")
        }
        try expect(again.users.map(\.id), equals: page.users.map(\.id), "the page that was told anew")
    }
}
