import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import SourceREST

@Suite("Signs that a list continues")
struct EndSignsTests {
    /// The reason why a list on one page is incomplete; nil when it is not.
    private func reason(
        _ body: String, _ fields: [(String, String)] = [], status: Int = 200, rule: String = ""
    ) async throws -> String? {
        let rows = rule.contains("rows.rows") ? "" : "rows.rows = data\n"
        let text = "api = x\nrows.path = /rows\nrows.key = id\nrows.field.id = integer\n" + rows + rule
        let page = try #require(
            await Bench(text, ScriptedNetworking(status, fields, body)).pages(
                ListQuestion(Bench(text, ScriptedNetworking()).resource())
            ).first)
        return page.total.flatMap { $0 > page.items.count ? "counts \($0)" : nil } ?? page.shortfall?.reason
    }

    private static let row = #""data": [{"id": 1}]"#

    @Test(
        "a total and a later page are found in the words of common APIs",
        arguments: [
            (#""total": "130""#, "counts 130"),
            (#""truncated": true"#, #"the list may continue, because "truncated" is true"#),
            (#""moreAvailable": true"#, #"the list may continue, because "moreAvailable" is true"#),
            (#""more": true"#, #"the list may continue, because "more" is true"#),
            (
                #""info": {"more_records": true}"#,
                #"the list may continue, because "info/more_records" is true"#
            ),
            (#""hasMorePages": true"#, #"the list may continue, because "hasMorePages" is true"#),
            (#""next_page": true"#, #"the list may continue, because "next_page" is true"#),
            (
                #""LastEvaluatedKey": {"id": 1}"#,
                #"the list may continue, because "LastEvaluatedKey" is a key"#
            ),
            (
                #""meta": {"current_page": 1, "last_page": 13}"#,
                #"the list may continue, because "meta/last_page" is 13 on page 1"#
            ),
            (#""has_more": 1"#, #"the list may continue, because "has_more" is 1"#),
            (
                #""has_more": false, "meta": {"after_cursor": "a"}"#,
                #"the list may continue, because the answer names a next page at "meta/after_cursor""#
            ),
            (#""number": 0, "last": false"#, #"the list may continue, because "last" is false"#),
            (#""page": 0, "totalPages": 2"#, #"the list may continue, because "totalPages" is 2 on page 0"#),
        ])
    func members(_ member: String, _ expected: String) async throws {
        let reason = try await reason("{\(Self.row), \(member)}")
        #expect(reason?.hasPrefix(expected) == true, "\(reason ?? "complete")")
    }

    @Test(
        "the same members of the last page are none",
        arguments: [
            #""has_more": false, "after_cursor": "a""#, #""meta": {"has_more": false, "after_cursor": "a"}"#,
            #""total": "1""#, #""truncated": false"#, #""more": false"#, #""more": "text""#,
            #""next_page": false"#, #""LastEvaluatedKey": {}"#, #""LastEvaluatedKey": null"#,
            #""meta": {"current_page": 1, "last_page": 1}"#, #""page": 0, "totalPages": 1"#,
            #""page": 5, "pages": 5"#, #""has_more": "false""#, #""last": true"#,
        ])
    func ends(_ member: String) async throws {
        #expect(try await reason("{\(Self.row), \(member)}") == nil)
    }

    @Test(
        "a part of a list is not the whole, also where the definition says that there is one page",
        arguments: ["", "rows.next = none"])
    func parts(_ rule: String) async throws {
        func reason(_ status: Int, _ range: String?) async throws -> String? {
            try await self.reason(
                "{\(Self.row)}", range.map { [("Content-Range", $0)] } ?? [], status: status, rule: rule)
        }
        for range in ["items 0-6/13", "0-6/13"] {
            #expect(
                try await reason(206, range)?.hasPrefix(
                    "the answer is not the whole list, because it has the rows up to 6 of 13") == true)
        }
        #expect(try await reason(200, "items 0-12/13") == nil)
        #expect(try await reason(206, "items 0-12/13") == nil)
        let settled = try await self.reason(
            "{\(Self.row)}", [("Content-Range", "items 0-6/13")], status: 206,
            rule: rule + "\nrows.total = none")
        #expect(settled == nil)
    }

    @Test("a part without a range is one where there is a single page")
    func unknownPart() async throws {
        #expect(
            try await reason("{\(Self.row)}", status: 206, rule: "rows.next = none")?.contains("(206)")
                == true)
    }

    @Test("fields count rows and name the next page")
    func fields() async throws {
        for name in ["X-Total-Count", "X-WP-Total"] {
            #expect(try await reason("{\(Self.row)}", [(name, "13")]) == "counts 13")
        }
        #expect(try await reason("{\(Self.row)}", [("X-Total-Count", "1"), ("X-Next-Page", "")]) == nil)
        #expect(
            try await reason("{\(Self.row)}", [("X-Next-Page", "2")])?.contains("X-Next-Page") == true)
        #expect(
            try await reason("{\(Self.row)}", [("X-Total-Count", "13")], rule: "rows.next = none") == nil)
    }

    @Test("a list in numbered pages ends with the last one that WordPress counts, which refuses the next one")
    func wordPress() async throws {
        let text =
            "api = x\nrows.path = /rows?per_page=2\nrows.next = page page\nrows.key = id\nrows.field.id = integer"
        func pages(_ fields: [(String, String)]) async throws -> [ItemPage] {
            let networking = ScriptedNetworking { request, _, number in
                if number == 2 {
                    return Response(400, [], #"{"code": "rest_post_invalid_page_number"}"#)
                }
                return Response(200, fields, #"[{"id": \#(2 * number + 1)}, {"id": \#(2 * number + 2)}]"#)
            }
            let bench = try Bench(text, networking)
            return try await bench.pages(ListQuestion(bench.resource()))
        }
        let counted = [("X-WP-Total", "4"), ("X-WP-TotalPages", "2")]
        let complete = try await pages(counted)
        #expect(complete.map(\.items.count) == [2, 2] && complete.last?.shortfall == nil)
        let more = try await pages(counted + [("Link", #"</rows?per_page=2&page=3>; rel="next""#)])
        #expect(more.last?.shortfall?.reason.contains("Link header") == true)
        #expect(await fault { _ = try await pages([]) }?.status == 400)
    }

    @Test(
        "an empty page is not the end if a field names a next page",
        arguments: ["rows.next = page page", "rows.next = offset offset", "rows.next = cursor c next"])
    func fieldsOfEmptyPages(_ rule: String) async throws {
        for (field, value) in [("X-Next-Page", "2"), ("Link", #"</rows?page=2>; rel="next""#)] {
            let reason = try await reason(#"{"data": []}"#, [(field, value)], rule: rule)
            #expect(
                reason?.hasPrefix("the last page is empty, but the answer has") == true, "\(reason ?? "")")
            let settled = try await self.reason(
                #"{"data": []}"#, [(field, value)], rule: rule + "\nrows.end = empty")
            #expect(settled == nil)
        }
    }

    @Test("members of rows are values")
    func membersOfRows() async throws {
        let rows = #""data": {"a": {"id": 1, "total": 9, "has_more": true, "next": "b"}}"#
        #expect(try await reason("{\(rows)}", rule: "rows.rows = data/*") == nil)
        #expect(try await reason(#"{\#(rows), "more": true}"#, rule: "rows.rows = data/*") != nil)
    }
}
