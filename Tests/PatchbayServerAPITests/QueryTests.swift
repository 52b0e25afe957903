import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Queries over HTTP")
struct QueryTests {
    @Test("a SELECT is answered with columns, rows and the state of its tables, by GET and by POST")
    func answers() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let sql = "SELECT%20id,%20login%20FROM%20people%20WHERE%20id%20%3C%20:most%20ORDER%20BY%20id%20DESC"
        let got = await fixture.get("/-/query?sql=\(sql)&most=3")
        #expect(got.status == 200, "\(got.text)")
        #expect(
            got.text.hasPrefix(
                #"{"columns":["id","login"],"rows":[[2,"user-2"],[1,"user-1"]],"complete":true"#))
        let table = got.json["tables"]?.elements.first
        #expect(table?["resource"]?.word == "people" && table?["lists_synced"]?.word == "1")
        #expect(table?["oldest_sync"]?.word == fixture.clock.now().description)
        let posted = await fixture.send(
            .post, "/-/query", ["content-type": "application/json"],
            #"{"sql": "SELECT id, login FROM people WHERE id < :most ORDER BY id DESC", "values": {"most": 3}}"#
        )
        #expect(posted.text == got.text)
    }

    @Test(
        "a resource whose name is that of another one with its source is meant in queries, lists and searches"
    )
    func names() async throws {
        let fixture = try await APIFixture { source in
            var twin = source.resources.first { $0.name == "people" }!
            twin.name = "test_people"
            source.resources.append(twin)
        }
        try await fixture.fetch("people")
        for (name, count) in [("people", "50"), ("test_people", "0")] {
            let queried = await fixture.get("/-/query?sql=SELECT%20count(*)%20FROM%20\(name)").json
            #expect(queried["rows"]?.elements.first?.elements.first?.word == count)
            #expect(queried["tables"]?.elements.first?["resource"]?.word == name)
            let listed = await fixture.get("/-/resources/\(name)?policy=local-only&limit=20")
            #expect(listed.ids == (name == "people" ? Array(1...20) : []))
        }
    }

    @Test("the limit of rows is stated")
    func limit() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let answer = await fixture.get("/-/query?sql=SELECT%20id%20FROM%20people&limit=7")
        #expect(answer.json["rows"]?.elements.count == 7)
        #expect(answer.text.contains(#""complete":false,"reason":"there are more than 7 rows""#))
    }

    @Test(
        "statements that do more than read, and wrong requests, are refused",
        arguments: [
            ("/-/query", "sql"), ("/-/query?sql=", "sql"), ("/-/query?sql=SELECT%201&limit=0", "limit"),
            ("/-/query?sql=SELECT%201&timeout=31", "timeout"), ("/-/query?sql=DELETE%20FROM%20people", nil),
            ("/-/query?sql=SELECT%201;SELECT%202", nil), ("/-/query?sql=SELECT%20:x", nil),
            ("/-/query?sql=SELECT%201&x=1", nil), ("/-/query?sql=ATTACH%20'x'%20AS%20y", nil),
            ("/-/query?sql=SELECT%20*%20FROM%20sqlite_master", nil),
        ] as [(String, String?)])
    func refused(_ path: String, _ parameter: String?) async throws {
        let answer = await (try APIFixture()).get(path)
        #expect(answer.status == 400 && answer.parameter == parameter, "\(answer.text)")
    }

    @Test(
        "wrong bodies are refused",
        arguments: [
            "", "[]", "{}", #"{"sql": 1}"#, #"{"sql": "SELECT 1", "sqll": 2}"#,
            #"{"sql": "SELECT 1", "limit": 0}"#,
            #"{"sql": "SELECT :a", "values": {"a": []}}"#, #"{"sql": "SELECT 1", "values": 1}"#,
            #"{"sql": "DROP TABLE people"}"#, #"{"sql": "SELECT 1", "sql": "SELECT 2"}"#,
            #"{"sql": "SELECT '\ud800'"}"#,
        ])
    func bodies(_ body: String) async throws {
        let answer = await (try APIFixture()).send(
            .post, "/-/query", ["content-type": "application/json"], body)
        #expect(answer.status == 400, "\(answer.text)")
    }
}
