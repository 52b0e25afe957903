import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Rows, keys and addresses in drafts from descriptions")
struct DraftShapeTests {
    private func draft(_ paths: String, rest: String = "") throws -> DefinitionDraft {
        let text = "openapi: 3.1.0\nservers: [{url: https://parks.example.org}]\npaths:\n\(paths)\n\(rest)"
        return try DefinitionDraft(describedBy: text, name: "parks")
    }

    private func list(
        _ path: String, _ schema: String, parameters: String = "", status: String = "200"
    ) -> String {
        """
          \(path):
            get:
              parameters: [\(parameters)]
              responses: {\(status): {content: {application/json: {schema: \(schema)}}}}
        """
    }

    private func rows(_ properties: String) -> String {
        "{type: array, items: {type: object, properties: {\(properties)}}}"
    }

    @Test("rows after an object with the number of the page are at their place in the array")
    func pageBeforeRows() throws {
        let page = "{type: object, properties: {page: {type: integer}}}", rows = rows("id: {type: integer}")
        for schema in ["items: {oneOf: [\(page), \(rows)]}", "prefixItems: [\(page), \(rows)]"] {
            let draft = try draft(list("/parks", "{type: array, \(schema)}"))
            #expect(draft.text.contains("\nparks.rows = 1\n") && draft.text.contains("\nparks.key = id\n"))
        }
        let answer = DraftSample(try JSONValue(Array(#"[{"page":1},[{"id":7}]]"#.utf8)))
        #expect(try DefinitionDraft([answer], name: "x", source: "a").text.contains("\nx.rows = 1\n"))
    }

    @Test(
        "an id of another object is a guess, even if the row begins with it",
        arguments: [
            ("account_id: {type: string}, to: {type: string}", "account-id", true),
            ("account_id: {type: string}, park_number_id: {type: string}", "park-number-id", true),
            ("city_park_id: {type: string}, to: {type: string}", "city-park-id", false),
            ("to: {type: string}, park_id: {type: string}", "park-id", false),
            ("shop_id: {type: string}, shop_park_id: {type: string}", "shop-id", true),
            ("owner_uuid: {type: string}, city_id: {type: string}", "owner-uuid", true),
            ("name: {type: string}, park_type: {type: string}", "name", true),
            ("city_name: {type: string}, park_name: {type: string}", "park-name", true),
        ])
    func otherIDs(_ properties: String, _ key: String, _ isGuess: Bool) throws {
        let draft = try draft(list("/parks", rows(properties)))
        #expect(draft.text.contains("\nparks.key = \(key)\n"), "\(draft.text)")
        #expect(draft.sentences.contains("keys that are guesses: parks") == isGuess)
    }

    @Test(
        "an id that is a number or a text is a key, which is a text",
        arguments: ["type: [integer, string]", "oneOf: [{type: integer}, {type: string}]"])
    func mixedIDs(_ type: String) throws {
        let draft = try draft(list("/parks", rows("id: {\(type)}, size: {\(type)}, to: {type: string}")))
        #expect(draft.text.contains("\nparks.key = id\n") && draft.text.contains("\nparks.field.id = text\n"))
        #expect(draft.text.contains("\nparks.field.size = json\n"))
    }

    @Test("a variable of a path with one value is written out, and so is the default of a part of a name")
    func fixedVariables() throws {
        let rows = rows("id: {type: integer}")
        let format = "{in: path, name: format, schema: {default: .json, enum: [.json, .xml]}}"
        let version = "{in: path, name: version, schema: {type: string, enum: [v1]}}"
        let region = "{in: path, name: region, schema: {type: string, default: north, enum: [north, south]}}"
        let draft = try draft(
            [
                list("/{version}/parks{format}", rows, parameters: "\(version), \(format)"),
                list("/{version}/parks/{id}/gates", rows, parameters: version),
                list("/{version}/regions/{region}/birds", rows, parameters: "\(version), \(region)"),
            ].joined(separator: "\n"))
        #expect(draft.text.contains("\nbase-url = https://parks.example.org/v1\n"), "\(draft.text)")
        #expect(draft.text.contains("\nparks.path = /parks.json\n"))
        #expect(draft.text.contains("\ngates.path = /parks/{parks.id}/gates\n"))
        #expect(draft.text.contains("\nbirds.path = /regions/{region}/birds\n"))
    }

    @Test("an answer with another status of success is used", arguments: ["203", "206"])
    func otherStatuses(_ status: String) throws {
        let draft = try draft(list("/parks", rows("id: {type: integer}"), status: status))
        #expect(draft.text.contains("\nparks.key = id\n"))
    }

    @Test("links beside the rows are not rows, and may lead to the next page")
    func linksBesideRows() throws {
        let links = rows("relation: {type: string}, url: {type: string}")
        let entries = rows("id: {type: string}, link: {type: string}")
        let draft = try draft(
            list("/parks", "{type: object, properties: {link: \(links), entry: \(entries)}}"))
        #expect(draft.text.contains("\nparks.rows = entry\n") && draft.text.contains("\nparks.key = id\n"))
        #expect(draft.text.contains("\nparks.next = url link[relation=next]/url\n"))
        let own = try self.draft(list("/links", "{type: object, properties: {links: \(links)}}"))
        #expect(own.text.contains("\nlinks.rows = links\n") && !own.text.contains("links.next"))
    }

    @Test("of several types of JSON, the one that requests accept is used")
    func types() throws {
        let (all, short) = (rows("id: {type: integer}"), rows("code: {type: string}"))
        func list(_ first: String, _ second: String) -> String {
            """
              /parks:
                get:
                  responses:
                    200:
                      content:
                        \(first): {schema: {type: object, properties: {members: \(all)}}}
                        \(second): {schema: \(short)}
            """
        }
        let usual = try draft(list("application/ld+json", "application/json; charset=utf-8"))
        #expect(usual.text.contains("\nparks.key = code\n") && !usual.text.contains("parks.rows"))
        #expect(!usual.text.contains("header.accept"))
        let other = try draft(list("application/ld+json", "application/hal+json"))
        #expect(other.text.contains("\nparks.rows = members\n"))
        #expect(other.text.contains("\nheader.accept = application/ld+json\n"))
    }

    @Test("words before a token are read, and a header that only requests have is a guess")
    func credentials() throws {
        let words = "'The word \"Leaf\" followed by the token'"
        let scheme = "{type: apiKey, in: header, name: Authorization, description: \(words)}"
        let parks = list("/parks", rows("id: {type: integer}"))
        let named = try draft(parks, rest: "components: {securitySchemes: {a: \(scheme)}}")
        #expect(named.text.contains("\nauth = header Authorization Leaf\n"), "\(named.text)")
        #expect(named.correction == nil)
        let headers = ["Authorization", "Park-Host"].map { "{in: header, name: \($0), required: true}" }
        let guessed = try draft(
            list("/parks", rows("id: {type: integer}"), parameters: headers.joined(separator: ", ")))
        #expect(guessed.text.contains("\nauth = bearer\n") && !guessed.text.contains("declares this way"))
        #expect(
            guessed.sentences.last
                == "to correct: the missing header park-host, which the document requires; auth, which is a guess from "
                + "the name of a header")
    }
}
