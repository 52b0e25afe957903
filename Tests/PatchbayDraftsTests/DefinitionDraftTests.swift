import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Drafts of definitions")
struct DefinitionDraftTests {
    /// The text of a draft, which must be a definition without faults, and the definition.
    private func draft(
        _ samples: [DraftSample], rows: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (text: String, definition: Definition) {
        let path = try rows.map { try #require(JSONPath($0)) }
        let draft = try DefinitionDraft(samples, rows: path, name: "things", source: "the sample")
        return (draft.text, try draft.definition(sourceLocation: sourceLocation))
    }

    private func sample(_ json: String, _ address: String? = nil, next: String? = nil) throws -> DraftSample {
        var sample = DraftSample(try JSONValue(Array(json.utf8)), at: address.flatMap { HTTPAddress($0) })
        sample.next = next
        return sample
    }

    private func resource(_ json: String, _ address: String? = nil, rows: String? = nil) throws
        -> ResourceDeclaration
    {
        try #require(try draft([sample(json, address)], rows: rows).definition.resources.first)
    }

    @Test("fields have the types of the values, and nested objects become fields named after their paths")
    func types() throws {
        let users = try resource(
            """
            [{"id":1,"name":"Ada","score":1.5,"isAdmin":true,"created_at":"2020-01-01T00:00:00Z","updated":1600000000,
              "when":1600000000,"tags":["a"],"profile":{"real_name":"A","more":{"deep":{"x":{"y":1}}}},"huge":1e999,
              "long":123456789012345678901},
             {"id":2,"name":null,"score":2,"isAdmin":false,"created_at":null,"updated":0,"when":5,"tags":[],
              "profile":null,"huge":2e999,"long":1}]
            """, "https://api.example.org/v1/users?limit=2")
        let types = Dictionary(uniqueKeysWithValues: users.fields.map { ($0.name, $0.type) })
        #expect(
            types == [
                "id": .integer, "name": .text, "score": .real, "is_admin": .boolean, "created_at": .time,
                "updated": .time, "when": .integer, "tags": .json, "profile_real_name": .text,
                "profile_more_deep": .json, "huge": .json, "long": .json,
            ])
        #expect(users.name == "users")
        #expect(users.key == ["id"])
        #expect(users.title == ["name"])
        #expect(users.lists[0].template.description == "/users?limit=2")
    }

    @Test(
        "a few values of another type become null, many make the field JSON, and a comment explains the choice"
    )
    func mixedTypes() throws {
        let rows = (1...20).map {
            #"{"id":\#($0),"few":\#($0 == 7 ? "1" : #""x""#),"many":\#($0 % 2 == 0 ? "1" : #""x""#)}"#
        }
        let (text, definition) = try draft([sample("[\(rows.joined(separator: ","))]")])
        let fields = definition.resources[0].fields
        #expect(fields.first { $0.name == "few" } == FieldDeclaration("few", .text).lenient)
        #expect(fields.first { $0.name == "many" }?.type == .json)
        #expect(text.contains("# few contains 1 integers, 19 texts; with ? the rarer ones become null."))
        #expect(text.contains("# many contains 10 integers, 10 texts; it is kept as JSON."))
    }

    @Test("a member with a space or a sign in its name becomes a field")
    func encodedMembers() throws {
        let text = try draft([sample(#"[{"id":1,"Due Date":"2024-01-02","@odata.etag":"x"}]"#)]).text
        #expect(text.contains("things.field.due-date = time Due%20Date\n"))
        #expect(text.contains("things.field.odata-etag = text %40odata.etag\n"))
    }

    @Test("the key is unique and set in every row, and a comment names other candidates")
    func keys() throws {
        let text = try draft([
            sample(
                #"[{"kind":"a","uuid":"u1","slug":"one","n":1},{"kind":"a","uuid":"u2","slug":"two","n":null}]"#
            )
        ]).text
        #expect(text.contains("things.key = uuid"))
        #expect(text.contains("# uuid is set and unique in 2 rows; so is slug."))
        #expect(text.contains("things.handle = slug"))
        let place = try resource(#"[{"kind":"a"},{"kind":"a"}]"#)
        #expect(place.key == ["place"])
        #expect(try resource(#"[{"user_id":1,"a":"x"},{"user_id":2,"a":"y"}]"#).key == ["user_id"])
    }

    @Test("a row in two answers does not disqualify its id as a key")
    func repeatedRows() throws {
        let pages = try [
            sample(#"[{"id":1,"at":"x"},{"id":2,"at":"x"}]"#, "https://a.example.org/rows?limit=2"),
            sample(#"[{"id":2,"at":"x"},{"id":3,"at":"x"}]"#, "https://a.example.org/rows?limit=3"),
        ]
        #expect(try draft(pages).definition.resources[0].key == ["id"])
    }

    @Test("rows are found in an answer, a comment names other places, and a path overrides the choice")
    func rowPlaces() throws {
        let json = #"{"meta":{"errors":[{"e":1}]},"data":[{"id":1}],"included":[{"k":"a"},{"k":"b"}]}"#
        let (text, definition) = try draft([sample(json)])
        #expect(definition.resources[0].rows.description == "data")
        #expect(text.contains("# Other arrays of objects: included, meta/errors."))
        #expect(try resource(json, rows: "included").key == ["k"])
        #expect(try resource(#"{"id":5,"name":"one"}"#, rows: ".").key == ["id"])
        #expect(try resource("[3,1,2]").fields.map(\.type) == [.integer])
    }

    @Test(
        "the error for an answer without rows describes the answer",
        arguments: [
            ("[]", "an empty array"), ("5", "a number"), ("{}", "an object without"), ("null", "null"),
        ])
    func noRows(json: String, words: String) throws {
        let error = #expect(throws: PatchbayError.self) { try draft([sample(json)]) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains(words) == true && error?.message.contains("name their place") == true)
    }

    @Test("the error for a path without rows names the places with rows")
    func wrongRows() throws {
        let error = #expect(throws: PatchbayError.self) {
            try draft([sample(#"{"data":[{"id":1}]}"#)], rows: "items")
        }
        #expect(error?.message.contains(#""data""#) == true)
    }

    @Test("comments replace the unseen characters of a sample's texts")
    func unseenCharacters() {
        #expect(DraftWords.shown("a\n\u{202E}\u{3164}\u{FFFE}\u{600}é") == "a????\u{600}é")
    }
}

// MARK: - Paging

extension DefinitionDraftTests {
    @Test(
        "paging is recognised from one answer",
        arguments: [
            (#"{"data":[{"id":1}],"next":"https://a.example.org/x?page=2"}"#, "?limit=1", "url next"),
            (#"{"data":[{"id":1}],"links":{"next":"/x?p=2"}}"#, "", "url links/next"),
            (#"{"data":[{"id":1}],"_links":{"next":{"href":"/x?p=2"}}}"#, "", "url _links/next/href"),
            (#"{"data":[{"id":1}],"next_page_url":null}"#, "", "url next_page_url"),
            (#"{"data":[{"id":1}],"nextPageToken":"t"}"#, "", "cursor pageToken nextPageToken"),
            (#"{"data":[{"id":1}],"meta":{"next_cursor":""}}"#, "", "cursor cursor meta/next_cursor"),
            (#"{"data":[{"id":1}],"continue":{"from":"B","continue":"-||"}}"#, "", "cursor * continue"),
            (#"{"data":[{"id":1}]}"#, "?page=0&limit=5", "page page 0"),
            (#"{"data":[{"id":1}]}"#, "?skip=20", "offset skip"),
            (#"{"data":[{"id":1}],"total_pages":4}"#, "", "page page"),
            (#"{"data":[{"id":1}],"has_more":true}"#, "", "last starting_after id"),
        ])
    func pagingOfOneAnswer(json: String, query: String, next: String) throws {
        let (text, definition) = try draft([sample(json, "https://a.example.org/x\(query)")])
        #expect(text.contains("\nx.next = \(next)\n"), "\(text)")
        let path = definition.resources[0].lists[0].template.description
        #expect(!path.contains("page=") && !path.contains("skip="))
    }

    @Test("a Link header, and a cursor that another request sent, determine the paging")
    func certainPaging() throws {
        let linked = try draft([
            sample(#"[{"id":1}]"#, "https://a.example.org/x", next: "https://a.example.org/y/1?after=1"),
            sample(#"[{"id":2}]"#, "https://a.example.org/y/1?after=1"),
        ])
        #expect(linked.text.contains("\nx.next = link\n"))
        // The next page has another path but belongs to the same resource.
        #expect(linked.definition.resources.map(\.name) == ["x"])
        let cursors = try draft([
            sample(#"{"items":[{"id":1}],"after":"abc"}"#, "https://a.example.org/x?size=1"),
            sample(#"{"items":[{"id":2}],"after":null}"#, "https://a.example.org/x?size=1&from_token=abc"),
        ])
        #expect(cursors.text.contains("\nx.next = cursor from_token after\n"))
        #expect(cursors.text.contains("was sent as from_token with another request"))
        let last = try draft([
            sample(#"{"items":[{"id":"a1"},{"id":"a2"}],"has_more":true}"#, "https://a.example.org/x"),
            sample(#"{"items":[{"id":"a3"}],"has_more":false}"#, "https://a.example.org/x?beyond=a2"),
        ])
        #expect(last.text.contains("\nx.next = last beyond id\nx.end = not has_more\n"))
    }
}

// MARK: - Several addresses

extension DefinitionDraftTests {
    private var shop: [DraftSample] {
        get throws {
            try [
                sample(
                    #"{"data":[{"id":11,"slug":"a"},{"id":12,"slug":"b"}]}"#,
                    "https://api.shop.example/v2/stores"),
                sample(#"{"id":12,"slug":"b","owner":"Bo"}"#, "https://api.shop.example/v2/stores/12"),
                sample(#"{"data":[{"sku":"x","n":1}]}"#, "https://api.shop.example/v2/stores/11/items"),
                sample(#"{"data":[{"sku":"y","n":2}]}"#, "https://api.shop.example/v2/stores/12/items"),
            ]
        }
    }

    @Test(
        "a list whose path contains a value of another list's rows is its child; a row's own address is its show"
    )
    func relations() throws {
        let (text, definition) = try draft(shop)
        #expect(definition.baseURL == "https://api.shop.example/v2")
        #expect(definition.resources.map(\.name) == ["stores", "items"])
        let (stores, items) = (definition.resources[0], definition.resources[1])
        #expect(stores.show?.description == "/stores/{key}")
        #expect(stores.handle?.field == "slug")
        #expect(stores.fields.first { $0.name == "owner" }?.isDetail == true)
        #expect(items.lists[0].template.description == "/stores/{stores.id}/items")
        #expect(items.parent == "stores")
        #expect(items.fields.first { $0.name == "store_id" }?.origin == .parent(field: "id"), "\(text)")
    }

    @Test("ids that are unique only among the rows of one parent are combined with the parent's key")
    func keysOfChildren() throws {
        let samples = try [
            sample(#"[{"id":11},{"id":12}]"#, "https://a.example.org/stores"),
            sample(#"[{"id":1,"n":5},{"id":2,"n":5}]"#, "https://a.example.org/stores/11/items"),
            sample(#"[{"id":1,"n":5}]"#, "https://a.example.org/stores/12/items"),
        ]
        #expect(try draft(samples).definition.resources[1].key == ["store_id", "id"])
    }

    @Test("the part between the path of a list and another part is an argument when no row contains it")
    func arguments() throws {
        let samples = try [
            sample(#"[{"id":11}]"#, "https://a.example.org/stores"),
            sample(#"[{"id":1}]"#, "https://a.example.org/stores/north/items"),
        ]
        let items = try draft(samples).definition.resources[1]
        #expect(items.lists[0].template.description == "/stores/{store}/items")
    }

    @Test("secrets in addresses are left out, and credentials are described without them")
    func secrets() throws {
        let token = "s3cr3ts3cr3ts3cr3tABCDEFGHIJKLMNOP"
        var one = try sample(#"[{"id":1}]"#, "https://a.example.org/x?api_key=\(token)&n=1")
        let byQuery = try draft([one])
        #expect(byQuery.text.contains("auth = query api_key"))
        one.authorization = Definition.Authorization(field: "PRIVATE-TOKEN", value: token)
        let byHeader = try draft([one])
        #expect(byHeader.text.contains("auth = header PRIVATE-TOKEN\n"))
        one.authorization = Definition.Authorization(field: "Authorization", value: "REDACTED")
        let comment = "# Requests carried Authorization; set source.token. If it is refused, try basic.\n"
        #expect(try draft([one]).text.contains(comment + "auth = bearer\n"))
        for text in [byQuery.text, byHeader.text] { #expect(!text.contains(token)) }
        #expect(
            Definition.Authorization(field: "Authorization", value: "token \(token)")
                == .header(name: "Authorization", prefix: "token "))
        #expect(Definition.Authorization(field: "Authorization", value: "Bearer \(token)") == .bearer)
        #expect(Definition.Authorization(field: "Accept", value: "x") == nil)
        for (value, prefix) in [("REDACTED", nil), ("Key REDACTED", "Key ")] {
            let authorization = Definition.Authorization(field: "X-Key", value: value)
            #expect(authorization == .header(name: "X-Key", prefix: prefix))
        }
        #expect(Definition.Authorization(field: "Cookie", value: "REDACTED") == nil)
    }
}

// MARK: - Hostile samples

extension DefinitionDraftTests {
    @Test(
        "any members make a definition without faults",
        arguments: [
            ##"[{"a b":1,"a.b":2,"a=b":3,"😀":4,"\"":5,"\n":6,"\u0000":7,"":8,"#x":9,"*":1,".":1,"@key":12,"{x":3}]"##,
            ##"[{"id":"# no comment","id\r\nauth = bearer":1,"héé":2,"h-é-é":3,"@place":4,"~/":5,"0":6,"\\":7}]"##,
            #"[{"fetched_at":"2020-01-01T00:00:00Z","gone_at_ms":2,"name":"x","name_folded":"y","name-folded":3}]"#,
            #"[{"A":1,"a":2,"a-":3,"_a":4,"a_ms":5,"x":"2020-01-01T00:00:00Z","x_ms":1,"x_override":1,"place":1}]"#,
            #"[{}]"#, #"[{},{}]"#, #"[{"a":{}}]"#, #"[{"a":{"b c":1},"d":{"e":{"f g":[1]}}}]"#,
            #"[null,{"id":1},5]"#,
            #"{"data b":[{"id":1}]}"#, ##"{"#": [{"id":1}]}"##, #"[true,false]"#,
            #"[{"ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345":1,"id":"ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"}]"#,
            #"{"header":[{"id":1}]}"#,
        ])
    func hostileMembers(json: String) throws {
        _ = try draft([sample(json)])
        _ = try draft([
            sample(
                json,
                "https://a.example.org/header/%7Bx%7D/{y}/x%0A#f?a=%22&b[]={c}&=1&#2".replacing("#", with: "")
            )
        ])
    }

    @Test("10,000 members and deep nesting make a definition with the maximum number of fields")
    func largeRows() throws {
        let members = (0..<10_000).map { #""member \#($0)":\#($0),"m\#($0)":"\#($0)""# }.joined(
            separator: ",")
        let (text, definition) = try draft([sample("[{\(members),\"id\":1}]")])
        #expect(definition.resources[0].fields.count > 30)
        #expect(text.utf8.count < 20_000)
        let deep = String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200)
        #expect(try resource("[\(deep)]").fields.contains { $0.type == .json })
    }

    @Test("random JSON makes a definition without faults, or is refused because it has no rows")
    func randomJSON() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<300 {
            let json = random.json(depth: 4)
            let addresses = [
                nil, "https://h.example/v1/\(random.word)/\(random.word)?\(random.word)=\(random.word)",
            ]
            do {
                _ = try draft([
                    sample(json, addresses[Int(random.next() % 2)]), sample(random.json(depth: 4)),
                ])
            } catch let error as PatchbayError {
                #expect(error.code == .invalidValue, "seed \(seed): \(error)")
            }
        }
    }
}

/// Generates random JSON.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return z ^ (z >> 31)
    }

    private static let words = [
        "id", "name", "data", "next", "items", "created_at", "a b", "", "#", "*", "%7B", "users", "cursor",
        "page",
        "has_more", "token", "0", "-", "A", "é", "next_cursor", "x_ms", "gone_at", "key", "{x}",
        "2020-01-01T00:00:00Z",
    ]

    var word: String {
        mutating get {
            let word = Self.words[Int(next() % UInt64(Self.words.count))]
            return word.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x23 } ? word : "w"
        }
    }

    mutating func json(depth: Int) -> String {
        let name = Self.words[Int(next() % UInt64(Self.words.count))]
        switch next() % (depth == 0 ? 5 : 8) {
        case 0: return "null"
        case 1: return next() % 2 == 0 ? "true" : "false"
        case 2: return String(Int64(bitPattern: next()) >> Int64(next() % 60))
        case 3: return "\"\(name)\""
        case 4: return "1.5e3"
        case 5:
            return "[" + (0..<Int(next() % 4)).map { _ in json(depth: depth - 1) }.joined(separator: ",")
                + "]"
        default:
            let members = (0..<Int(next() % 6)).map { _ in
                "\"\(Self.words[Int(next() % UInt64(Self.words.count))])\":\(json(depth: depth - 1))"
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }
}

extension FieldDeclaration {
    fileprivate var lenient: FieldDeclaration {
        var field = self
        field.isLenient = true
        return field
    }
}
