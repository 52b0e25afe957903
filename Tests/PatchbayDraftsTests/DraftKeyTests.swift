import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Keys, pages and the summary of drafts")
struct DraftKeyTests {
    private func draft(_ text: String, only: [String] = []) throws -> DefinitionDraft {
        try DefinitionDraft(describedBy: text, only: only, name: "rows")
    }

    /// A description of lists: their paths with the properties of their rows.
    private static func document(_ lists: [(path: String, row: String)], _ parameters: String = "") -> String
    {
        "openapi: 3.0.3\nservers: [{url: https://parks.example.org}]\npaths:\n"
            + lists.map { path, row in
                """
                  \(path):
                    get:
                      parameters: [\(parameters)]
                      responses:
                        200:
                          content:
                            application/json:
                              schema: {type: array, items: {type: object, properties: {\(row)}}}

                """
            }.joined()
    }

    @Test("a place or a guess is a key only beside what distinguishes two lists")
    func owners() throws {
        let draft = try draft(
            Self.document([
                ("/parks", "id: {type: integer}"), ("/parks/{parkId}/gates", "opens: {type: string}"),
                ("/parks/{parkId}/paths", "name: {type: string}, length: {type: integer}"),
                ("/regions/{region}/birds", "wings: {type: integer}"), ("/clouds", "shape: {type: string}"),
            ]))
        let definition = try draft.definition()
        func key(_ name: String) -> [String]? { definition.resource(named: name)?.key }
        #expect(key("gates") == ["park_id", "place"] && key("paths") == ["park_id", "name"])
        #expect(key("birds") == ["region", "place"] && key("clouds") == ["place"])
        #expect(definition.doubts.isEmpty)
        #expect(
            draft.sentences == [
                "5 lists: parks, gates, paths, birds, clouds",
                "pages: 5 unknown and read as one page (parks, gates, paths, birds, clouds); add NAME.next if there "
                    + "are more",
                "keys that are guesses: paths",
                "keys that are only the place in the list: gates, birds, clouds; look for better ones",
            ])
        #expect(draft.first?.name == "parks" && draft.first?.isDirect == true)
    }

    @Test(
        "a name, a number or the id of another object is a key only beside the parent, unless it finds the row alone"
    )
    func keysOfOneParent() throws {
        let draft = try draft(
            Self.document([
                ("/files", "id: {type: string}"),
                ("/files/{fileId}/links", "note: {type: string}, linkedId: {type: string}"),
                ("/files/{fileId}/links/{linkedId}", "note: {type: string}"),
                ("/files/{fileId}/pages", "pageId: {type: integer}, linkedId: {type: string}"),
                ("/files/{fileId}/tags", "name: {type: string}"), ("/tags/{name}", "name: {type: string}"),
            ]))
        let definition = try draft.definition()
        func key(_ name: String) -> [String]? { definition.resource(named: name)?.key }
        #expect(key("links") == ["file_id", "linked_id"] && key("pages") == ["page_id"], "\(draft.text)")
        #expect(
            draft.text.replacing("\n# ", with: " ").contains(
                "linked-id probably identifies a row of one list; nothing in the document says that two lists have no "
                    + "equal ones."), "\(draft.text)")
        #expect(key("file_tags") == ["file_id", "name"], "\(draft.text)")
    }

    @Test("of several ids in the objects of a row, the one named after the rows is the likeliest key")
    func guessedIDs() throws {
        let text = try draft(
            Self.document([
                (
                    "/payments",
                    """
                    shop: {properties: {shop_id: {type: string}}},
                    info: {properties: {account_id: {type: string}, payment_id: {type: string}}}
                    """
                ),
                (
                    "/visits",
                    "shop: {properties: {owner_id: {type: string}}}, guest: {properties: {id: {type: string}}}"
                ),
            ])
        ).text
        #expect(text.contains("\npayments.key = info-payment-id\n"), "\(text)")
        #expect(text.contains("\nvisits.key = guest-id\n"), "\(text)")
        #expect(
            text.contains("info-payment-id is a guess.") && text.contains("guest-id is a guess."), "\(text)")
    }

    @Test("a field of the parent that the parent has from its own parent keeps its type and is named once")
    func inheritedOwners() throws {
        let draft = try draft(
            Self.document([
                ("/snippets", "id: {type: integer}"), ("/snippets/{username}", "id: {type: integer}"),
                ("/snippets/{username}/{encoded_id}/comments", "text: {type: string}"),
            ]))
        let comments = try #require(try draft.definition().resource(named: "comments"))
        let owners = comments.fields.filter { if case .parent = $0.origin { true } else { false } }
        #expect(owners.allSatisfy { $0.type == .integer } && !owners.isEmpty, "\(draft.text)")
        #expect(Set(owners.map(\.origin)).count == owners.count && !draft.text.contains("_snippets."))
    }

    @Test("only the named lists are drafted, and those to whose rows they belong")
    func only() throws {
        let text = Self.document([
            ("/parks", "id: {type: integer}"), ("/parks/{parkId}/gates", "id: {type: integer}"),
            ("/clouds", "id: {type: integer}"),
        ])
        #expect(try draft(text, only: ["gates"]).definition().resources.map(\.name) == ["parks", "gates"])
        #expect(try draft(text, only: ["clouds"]).definition().resources.map(\.name) == ["clouds"])
        let error = #expect(throws: PatchbayError.self) { try draft(text, only: ["rivers"]) }
        #expect(error?.message == "there is no list \"rivers\"; the lists are parks, gates, clouds")
    }

    @Test(
        "ways to follow pages that only a name shows",
        arguments: [
            (
                "{in: query, name: before, schema: {type: string}}, {in: query, name: after, schema: {type: string}}",
                "last after id", "/parks"
            ),
            ("{in: query, name: after, schema: {type: string}}", nil, "/parks"),
            (
                "{in: query, name: usemarker, schema: {type: boolean}}, {in: query, name: x, schema: {type: string}}",
                nil, "/parks"
            ),
        ])
    func names(_ parameters: String, _ next: String?, _ path: String) throws {
        let text = try draft(Self.document([("/parks", "id: {type: string}")], parameters)).text
        #expect(text.contains("\nparks.path = \(path)\n"), "\(text)")
        #expect(
            next.map { text.contains("\nparks.next = \($0)\n") } ?? !text.contains("parks.next"), "\(text)")
    }

    private static let rows = "parks: {type: array, items: {type: object, properties: {id: {type: string}}}}"

    @Test("the switch that turns markers on is sent")
    func switches() throws {
        let text = try draft(
            listDescription(
                Self.rows + ", next_marker: {type: string}",
                """
                {in: query, name: offset, schema: {type: integer}},
                {in: query, name: usemarker, schema: {type: boolean}},
                {in: query, name: marker, schema: {type: string}}
                """)
        ).text
        #expect(text.contains("\nparks.path = /parks?usemarker=true\n"), "\(text)")
        #expect(text.contains("\nparks.next = cursor marker next_marker\n"), "\(text)")
    }

    @Test("a next page that is a number is not an address")
    func numbers() throws {
        let text = try draft(
            listDescription(
                Self.rows + ", meta: {type: object, properties: {next_page: {type: [integer, 'null']}}}")
        ).text
        #expect(text.contains("\nparks.next = cursor page meta/next_page\n"), "\(text)")
    }

    @Test("a Link header that only words describe is followed, and probably by the same parameter elsewhere")
    func linksInWords() throws {
        func list(_ path: String, _ words: String, _ name: String = "after") -> String {
            """
              \(path):
                get:
                  parameters: [{in: query, name: \(name), description: "\(words)", schema: {type: string}}]
                  responses:
                    200:
                      content: {application/json: {schema: {type: array, items: {properties: {id: {type: string}}}}}}

            """
        }
        let lists =
            list("/parks", "Opaque, obtained from the `Link` response header.") + list("/birds", "A place.")
            + list("/clouds", "See the header", "cursor")
        let text = try draft(
            "openapi: 3.0.3\nservers: [{url: https://parks.example.org}]\npaths:\n" + lists
        ).text.replacing("\n# ", with: " ")
        #expect(
            text.contains("The Link header names the next page.\nparks.next = link "), "\(text)")
        #expect(
            text.contains(
                "Other lists with the parameter after have a Link header with the next page; that this one has it "
                    + "too is a guess.\nbirds.next = link "), "\(text)")
        #expect(
            text.contains("the parameter cursor may take a place in the list; if the list has further pages"),
            "\(text)")
        #expect(!text.contains("clouds.next"))
    }

    @Test("rows that only the example shows are drafted")
    func examples() throws {
        let text = try draft(
            listDescription(
                "parks: {type: array, items: {items: [{type: object}]}}",
                example: ", example: {parks: [{id: P1}, {id: P2}]}")
        ).text
        #expect(text.contains("\nparks.rows = parks\n") && text.contains("\nparks.key = id\n"), "\(text)")
    }

    @Test(
        "the members of free-form rows are those of an example, at the answer, the array or a row",
        arguments: [
            ("parks: {type: array, items: {type: object}}", ", example: {parks: [{_id: P1, name: North}]}"),
            ("parks: {type: array, items: {type: object}, example: [{_id: P1, name: North}]}", ""),
            ("parks: {type: array, items: {type: object, example: {_id: P1, name: North}}}", ""),
            ("parks: {type: array, items: {}}", ", examples: {one: {value: {parks: [{_id: P1, name: N}]}}}"),
            ("parks: {type: array}", ", example: {parks: [{_id: P1, name: North}, {_id: P1, name: South}]}"),
            (
                "parks: {type: array, example: [{_id: P1, name: North}]}, errors: {}",
                ", example: {errors: []}"
            ),
        ])
    func freeForm(_ schema: String, _ example: String) throws {
        let text = try draft(listDescription("total: {type: integer}, " + schema, example: example)).text
        #expect(text.contains("\nparks.rows = parks\n") && text.contains("\nparks.key = id\n"), "\(text)")
        #expect(text.contains("\nparks.field.name = text\n"), "\(text)")
        #expect(!text.contains("North"), "\(text)")
    }

    @Test("an example adds no members to rows that a schema describes, nor to free-form objects in them")
    func describedRows() throws {
        let row = "id: {type: string}, notes: {type: object}, tags: {type: array, items: {type: object}}"
        let text = try draft(
            listDescription(
                "parks: {type: array, items: {type: object, properties: {\(row)}}}",
                example: ", example: {parks: [{id: P1, name: North, notes: {mine: x}, tags: [{id: T1}]}]}")
        ).text
        #expect(
            text.contains("\nparks.field.notes = json\n") && text.contains("field.tags = json"), "\(text)")
        #expect(!text.contains("mine") && !text.contains("name"), "\(text)")
        let single = try draft(
            Self.document([("/parks", "id: {type: string}")])
                + """
                  /parks/{id}:
                    get:
                      responses:
                        200:
                          content:
                            application/json:
                              schema: {properties: {id: {type: string}, labels: {type: object}}}
                              example: {id: P1, labels: {mine: x}}
                """
        ).text
        #expect(single.contains("\nparks.detail.labels = json\n") && !single.contains("mine"), "\(single)")
    }

    @Test("from one or two rows, a key is a guess whose name is likely")
    func fewRows() throws {
        let row = #"{"needs":"none","friendly_name":"North","phone_number":"+4711","area":"N"}"#
        let text = try draft(#"{"numbers":[\#(row)]}"#).text
        #expect(text.contains("\nrows.key = phone-number\n"), "\(text)")
        #expect(
            text.contains(
                "# phone-number is set and unique in the only row; so are friendly-name, needs, area; this is a\n"
                    + "# guess."
            ),
            "\(text)")
        let two = try draft(#"[{"needs":"a","sku":"x"},{"needs":"b","sku":"x"}]"#).text
        #expect(two.contains("\nrows.key = needs\n") && two.contains("this is a guess."), "\(two)")
    }
}
