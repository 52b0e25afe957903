import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Pages and keys in drafts from one answer")
struct DraftPagingTests {
    private func draft(_ json: String, _ query: String = "") throws -> String {
        let address = HTTPAddress("https://a.example.org/x" + query)
        let sample = DraftSample(try JSONValue(Array(json.utf8)), at: address)
        let draft = try DefinitionDraft([sample], name: "x", source: "the sample")
        _ = try draft.definition()
        return draft.text
    }

    /// Joins the lines of each comment.
    private func joined(_ text: String) -> String { text.replacing("\n# ", with: " ") }

    private static let advice =
        "; if the list has further pages, add a line such as NAME.next = page PARAM, NAME.next = offset PARAM or "
        + "NAME.next = cursor PARAM PATH, because without one only a Link header is followed."

    @Test(
        "a total above the number of rows, with the size of pages, suggests how they follow",
        arguments: [
            (
                #"{"data":[{"id":1}],"total":9}"#, "?limit=1",
                "The value of total is more than the number of rows here, and limit suggests offsets; "
                    + "the parameter's name is a guess.\nx.next = offset offset "
            ),
            (
                #"{"data":[{"id":1}],"meta":{"total_count":9,"per_page":1}}"#, "",
                "The value of total_count is more than the number of rows here, and per_page suggests "
                    + "numbered pages; the parameter's name is a guess.\nx.next = page page "
            ),
        ])
    func sizes(_ json: String, _ query: String, _ lines: String) throws {
        let text = try draft(json, query)
        #expect(joined(text).contains(lines), "\(text)")
    }

    @Test(
        "otherwise a comment states what is known, and how to add the rule",
        arguments: [
            (
                #"{"data":[{"id":1}],"total":9}"#,
                "The value of total is more than the number of rows here, "
                    + "but the answer does not show how to request the others"
            ),
            (#"{"data":[{"id":1}],"total":1,"limit":1}"#, "No further pages were seen"),
            (
                #"{"data":[{"a":"x"},{"a":"x"}],"has_more":true}"#,
                "The member has_more shows whether there is more, but not how to request it"
            ),
            (#"[{"id":1}]"#, "No further pages were seen"),
        ])
    func advice(_ json: String, _ reason: String) throws {
        let text = try draft(json)
        #expect(joined(text).contains(reason + Self.advice) && !text.contains("\nx.next"), "\(text)")
    }

    /// The draft of several answers and the parameters of their requests.
    private func draft(_ exchanges: [(answer: String, sent: String)], sent send: ParameterPlace) throws
        -> String
    {
        let samples = try exchanges.map { answer, sent in
            var sample = DraftSample(
                try JSONValue(Array(answer.utf8)), at: HTTPAddress("https://a.example.org/x"))
            sample.send = send
            sample.parameters = try JSONValue(Array(sent.utf8)).parameters()
            return sample
        }
        let draft = try DefinitionDraft(samples, name: "x", source: "the sample")
        _ = try draft.definition()
        return draft.text
    }

    private static let rows =
        #""data":[{"id":1,"sort":[1.5,"a"],"tags":[7]},{"id":2,"sort":[2,"b"],"tags":[7]}]"#

    @Test(
        "values that were sent together show a cursor of several values",
        arguments: [
            (
                #""on":{"since":"B","on":"-||"}"#, #"{"n":2,"since":"B","on":"-||"}"#, "query", "n=2",
                "cursor * on"
            ),
            (
                #""on":{"since":"B","on":"-||"}"#, #"{"n":2,"since":"B"}"#, "query", "n=2",
                "cursor since on/since"
            ),
            (#""at":[2.5,"b"]"#, #"{"n":2,"after":[2.5,"b"]}"#, "json", "n=2", "cursor after at"),
            (
                #""m":{"at":{"a":{"S":"x"},"b":1}}"#, #"{"n":2,"p":{"start":{"a":{"S":"x"},"b":1}}}"#, "json",
                "n=2",
                "cursor p/start m/at"
            ),
            (
                #""m":{"at":{"a":"x","b":1}}"#, #"{"n":2,"p":{"z":3,"a":"x","b":1}}"#, "json", "n=2&p/z=3",
                "cursor p/a m/at/a"
            ),
            (
                #""more":true"#, #"{"n":2,"after":[2,"b"]}"#, "json", "n=2",
                "last after sort\nx.end = not more"
            ),
        ])
    func members(_ cursor: String, _ sent: String, _ send: String, _ query: String, _ next: String) throws {
        let first = sent.contains("z") ? #"{"n":2,"p":{"z":3}}"# : #"{"n":2}"#
        let last = #"{"data":[{"id":3,"sort":[3,"c"],"tags":[7]}]}"#
        let text = try draft(
            [("{\(Self.rows),\(cursor)}", first), (last, sent)],
            sent: try #require(ParameterPlace(rawValue: send)))
        #expect(text.contains("\nx.next = \(next)\n") && text.contains("\nx.path = /x?\(query)\n"), "\(text)")
    }

    @Test(
        "the address keeps the value with which the first page was requested, if it cannot be a place in the list",
        arguments: [
            (["n=2&cursor=*", "n=2&cursor=B"], "/x?n=2&cursor=*", "cursor cursor next_cursor"),
            (["n=2&mark=-1", "n=2&mark=B"], "/x?n=2&mark=-1", "cursor mark next_cursor"),
            (["cursorMark=*"], "/x?cursorMark=*", "cursor cursorMark next_cursor"),
            (["n=2", "n=2&cursor=B"], "/x?n=2", "cursor cursor next_cursor"),
            (["n=2&cursor=A", "n=2&cursor=B"], "/x?n=2", "cursor cursor next_cursor"),
            (["n=2&startIndex=1", "n=2&startIndex=3"], "/x?n=2&startIndex=1", "offset startIndex"),
            (["n=2&startIndex=0", "n=2&startIndex=2"], "/x?n=2", "offset startIndex"),
            (["n=2&startIndex=4"], "/x?n=2", "offset startIndex"),
            (["n=2&page=1", "n=2&page=2"], "/x?n=2", "page page"),
        ])
    func starts(_ queries: [String], _ path: String, _ next: String) throws {
        let hasCursor = next.hasPrefix("cursor")
        let samples = try queries.enumerated().map { number, query in
            let cursor = hasCursor ? #","next_cursor":\#(number == 0 ? #""B""# : "null")"# : ""
            let answer = #"{"data":[{"id":\#(2 * number + 1)},{"id":\#(2 * number + 2)}]\#(cursor)}"#
            return DraftSample(
                try JSONValue(Array(answer.utf8)), at: HTTPAddress("https://a.example.org/x?" + query))
        }
        let text = try DefinitionDraft(samples, name: "x", source: "the sample").text
        #expect(text.contains("\nx.path = \(path)\n") && text.contains("\nx.next = \(next)\n"), "\(text)")
    }

    @Test(
        "a list whose answers link to the next page begins at its first page, whichever was recorded",
        arguments: [
            (["n=2&page=3"], "/x?n=2"),
            (["n=2&page=3", "n=2&page=1"], "/x?n=2&page=1"),
            (["n=2&page=3", "n=2"], "/x?n=2"),
            (["n=2"], "/x?n=2"),
        ], ["/x", "https://a.example.org/x"])
    func linked(_ recorded: (queries: [String], path: String), _ base: String) throws {
        for isHeader in [true, false] {
            let samples = try recorded.queries.enumerated().map { number, query in
                let page = query.split(separator: "page=").last.flatMap { Int($0) } ?? 1
                let next = "\(base)?n=2&page=\(page + 1)"
                let rows = #"[{"id":\#(2 * number)},{"id":\#(2 * number + 1)}]"#
                let answer = isHeader ? rows : #"{"data":\#(rows),"next_url":"\#(next)"}"#
                var sample = DraftSample(
                    try JSONValue(Array(answer.utf8)), at: HTTPAddress("https://a.example.org/x?" + query))
                sample.next = isHeader ? next : nil
                return sample
            }
            let text = try DefinitionDraft(samples, name: "x", source: "the sample").text
            let next = isHeader ? "link" : "url next_url"
            #expect(text.contains("\nx.path = \(recorded.path)\n"), "\(text)")
            #expect(text.contains("\nx.next = \(next)\n"), "\(text)")
        }
    }

    @Test("requests to one address that ask for different lists in their bodies become lists of their own")
    func bodies() throws {
        func sample(_ name: String, _ rows: String, _ after: String?, _ cursor: String) throws -> DraftSample
        {
            let answer = #"{"data":{"\#(name)":{"nodes":[\#(rows)],"pageInfo":{"endCursor":\#(cursor)}}}}"#
            var sample = DraftSample(
                try JSONValue(Array(answer.utf8)), at: HTTPAddress("https://a.example.org/graphql"))
            sample.send = .json
            sample.parameters =
                [("query", "{ \(name) { nodes } }")] + (after.map { [("variables/after", $0)] } ?? [])
            return sample
        }
        let text = try DefinitionDraft(
            [
                sample("issues", #"{"id":1},{"id":2}"#, nil, #""i2""#),
                sample("users", #"{"login":"a"},{"login":"b"}"#, nil, #""u2""#),
                sample("issues", #"{"id":3}"#, "i2", "null"),
                sample("users", #"{"login":"c"}"#, "u2", "null"),
            ], name: "x", source: "the sample"
        ).text
        for (list, key) in [("issues", "id"), ("users", "login")] {
            let place = "data/\(list)", query = "%7B%20\(list)%20%7B%20nodes%20%7D%20%7D"
            #expect(text.contains("\n\(list).path = /graphql?query=\(query)\n"), "\(text)")
            #expect(text.contains("\n\(list).rows = \(place)/nodes\n"))
            #expect(text.contains("\n\(list).next = cursor variables/after \(place)/pageInfo/endCursor\n"))
            #expect(text.contains("\n\(list).key = \(key)\n"))
        }
    }

    @Test("an id beyond 64 bits, or one that is a number or a text, becomes a key of type text")
    func keys() throws {
        let huge = try draft(#"[{"id":123456789012345678901,"n":1},{"id":2,"n":1}]"#)
        #expect(huge.contains("x.key = id\n") && huge.contains("x.field.id = text\n"), "\(huge)")
        #expect(
            huge.contains("# id contains numbers beyond 64 bits; a key that is a text keeps all digits.\n"))
        let mixed = try draft(#"[{"id":7,"n":1},{"id":"a","n":1}]"#)
        #expect(mixed.contains("x.field.id = text\n"), "\(mixed)")
        #expect(mixed.contains("# id contains numbers and texts; a key that is a text keeps both.\n"))
    }
}
