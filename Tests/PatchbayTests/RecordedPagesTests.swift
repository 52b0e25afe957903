import Foundation
import Patchbay
import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Testing

@Suite("The pages of a list in a recording")
struct RecordedPagesTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A recorded answer; one without rows is a failure.
    struct Page {
        var query: String
        var rows: [Int]
        var next: String?
        var account: String?
        var day = 1

        init(_ query: String, _ rows: [Int], next: String? = nil, account: String? = nil, day: Int = 1) {
            (self.query, self.rows, self.next) = (query, rows, next)
            (self.account, self.day) = (account, day)
        }

        fileprivate func entry(_ second: Int) -> String {
            let items = rows.map { "{\"id\":\($0)}" }.joined(separator: ",")
            let body = "{\"data\":[\(items)],\"next\":\(next.map { "\"\($0)\"" } ?? "null")}"
            return TestHAR.entry(
                "https://books.example.org/authors\(query)", body: body,
                sent: account.map { [("Authorization", "Bearer \($0)")] } ?? [],
                time: "2026-10-0\(day)T10:00:\(10 + second).000Z")
        }
    }

    /// The keys that each of two syncs leaves in the list, and whether the list is then complete.
    private func synced(_ next: String, _ pages: [Page]) async throws -> [(keys: [String], isComplete: Bool)]
    {
        try folder.write(TestHAR.file(pages.enumerated().map { $1.entry($0) }), to: "books.har")
        try folder.write(
            """
            api = books
            base-url = https://books.example.org
            authors.path = /authors?limit=100
            authors.rows = data
            authors.next = \(next)
            authors.key = id
            authors.field.id = integer
            """, to: "books.conf")
        let gateway = try await Gateway(
            configuration: GatewayConfiguration([
                "source": "recorded", "source.path": folder.path + "/books.har",
                "source.definition": folder.path + "/books.conf", "storage": "memory",
            ]))
        let question = try gateway.question(gateway.resource("authors"))
        var results: [(keys: [String], isComplete: Bool)] = []
        for _ in 1...2 {
            let (end, _) = await gateway.sync(question, from: .theBeginning).run()
            let list = await gateway.list(question, limit: 100, policy: .localOnly).ending.value
            let keys = list?.items.map(\.handle).sorted() ?? []
            let isComplete = if case .complete = end { list?.isWhole == true } else { false }
            results.append((keys, isComplete))
        }
        try await gateway.close()
        return results
    }

    @Test(
        "are those that fit together",
        arguments: [
            // The first page was loaded again before the second one.
            (
                "cursor c next",
                [Page("", [1, 2, 3], next: "x"), Page("", [2, 3, 4], next: "x"), Page("?c=x", [5])],
                [2, 3, 4, 5]
            ),
            (
                "cursor c next",
                [Page("", [1, 2], next: "x"), Page("", [0, 1], next: "y"), Page("?c=y", [2, 3])],
                [0, 1, 2, 3]
            ),
            // So was the second one, before the third.
            (
                "page p",
                [
                    Page("", [1, 2]), Page("?p=2", [3, 4]), Page("?p=2", [4, 5]), Page("?p=3", [6]),
                    Page("?p=4", []),
                ], [1, 2, 4, 5, 6]
            ),
            // The order or the size of the pages was changed.
            (
                "page p",
                [
                    Page("?sort=id", [1, 2]), Page("?sort=name", [4, 3]), Page("?p=2&sort=name", [2, 1]),
                    Page("?p=3&sort=name", []),
                ], [1, 2, 3, 4]
            ),
            (
                "page p",
                [
                    Page("?limit=5&sort=top", [9, 8]), Page("?limit=2", [1, 2]), Page("?limit=2&p=2", [3]),
                    Page("?limit=2&p=3", []),
                ], [1, 2, 3]
            ),
            // Two accounts took turns.
            (
                "cursor c next",
                [
                    Page("", [1, 2], next: "x", account: "a"), Page("?c=x", [8, 9], account: "b"),
                    Page("?c=x", [3], account: "a"),
                ], [1, 2, 3]
            ),
            // The first day has only the first page.
            (
                "cursor c next",
                [
                    Page("", [1, 2], next: "x"), Page("", [7, 1], next: "x", day: 2),
                    Page("?c=x", [2, 3], day: 2),
                ], [1, 2, 3, 7]
            ),
            // The reader went back to the first page.
            (
                "cursor c next",
                [Page("", [1, 2], next: "x"), Page("?c=x", [3]), Page("", [2, 4], next: "x")], [1, 2, 3]
            ),
            // The pages were requested side by side.
            (
                "page p",
                [
                    Page("?p=2", [3, 4]), Page("", [1, 2]), Page("?p=3", [5]), Page("?p=4", []),
                    Page("?p=4", []),
                ],
                [1, 2, 3, 4, 5]
            ),
        ])
    func fitting(_ next: String, _ pages: [Page], _ keys: [Int]) async throws {
        let results = try await synced(next, pages)
        #expect(results.map(\.keys) == [keys.map(String.init), keys.map(String.init)])
        #expect(results.map(\.isComplete) == [true, true])
    }

    /// A row that one list lacks is still listed until the next one lacks it as well.
    @Test("of several days are replayed day by day")
    func days() async throws {
        let results = try await synced(
            "cursor c next",
            [
                Page("", [1, 2], next: "x"), Page("?c=x", [3]),
                Page("", [2, 3], next: "x", day: 2), Page("?c=x", [4], day: 2),
            ])
        #expect(results.map(\.keys) == [["1", "2", "3"], ["1", "2", "3", "4"]])
        #expect(results.map(\.isComplete) == [true, true])
    }

    @Test(
        "that do not fit together leave the list incomplete",
        arguments: [
            // The size was changed on the second page.
            (
                "page p",
                [
                    Page("?limit=2", [1, 2]), Page("?limit=2&p=2", [3, 4]), Page("?limit=4&p=2", [5, 6]),
                    Page("?limit=4&p=3", []),
                ]
            ),
            // The second page is another account's.
            (
                "cursor c next",
                [
                    Page("", [1, 2], next: "x", account: "a"), Page("?c=x", [8, 9], account: "b"),
                    Page("?c=x", [9], account: "b"),
                ]
            ),
            // Only the first rows were requested.
            ("none", [Page("?limit=2", [1, 2])]),
        ])
    func misfits(_ next: String, _ pages: [Page]) async throws {
        let results = try await synced(next, pages)
        #expect(results.map(\.isComplete) == [false, false])
    }
}
