import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Drafts of definitions from OpenAPI")
struct OpenAPIDraftTests {
    private func draft(_ json: String, from address: String? = nil) throws -> DefinitionDraft {
        let document = try #require(try OpenAPIDocument(try JSONValue(Array(json.utf8))))
        let samples = document.samples(from: address.flatMap { HTTPAddress($0) })
        return try DefinitionDraft(samples, name: "api", source: "api.json")
    }

    /// The text of a draft, whose definition must have no fault.
    private func text(_ json: String, from address: String? = nil) throws -> String {
        let draft = try draft(json, from: address)
        _ = try draft.definition()
        return draft.text
    }

    @Test("lists, types, references, children, single rows and credentials become a definition")
    func document() throws {
        let draft = try draft(
            """
            {"openapi":"3.0.3","servers":[{"url":"https://pets.example.org/api/v3"}],
             "components":{
               "securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-API-Key"}},
               "parameters":{"page":{"in":"query","name":"page","schema":{"type":"integer"}}},
               "schemas":{
                 "Pet":{"allOf":[{"$ref":"#/components/schemas/Named"},{"type":"object","properties":{
                   "id":{"type":"integer"},"weight":{"type":"number"},"born":{"type":"string","format":"date-time"},
                   "isGood":{"type":["boolean","null"]},"mother":{"$ref":"#/components/schemas/Pet"},
                   "tags":{"type":"array","items":{"type":"string"}},
                   "any":{"oneOf":[{"type":"string"},{"type":"integer"}]}}}]},
                 "Named":{"properties":{"name":{"type":"string"}}},
                 "Visit":{"type":"object","properties":{"id":{"type":"string","format":"uuid"},
                   "note":{"type":"string"}}}}},
             "paths":{
               "/pets":{"get":{"parameters":[{"$ref":"#/components/parameters/page"},
                   {"in":"query","name":"limit","schema":{"type":"integer","maximum":200}}],
                 "responses":{"200":{"content":{"application/json":{"schema":{"type":"object","properties":{
                   "data":{"type":"array","items":{"$ref":"#/components/schemas/Pet"}}}}}}}}}},
               "/pets/{pet_id}":{"get":{"responses":{"200":{"content":{"application/json":
                 {"schema":{"$ref":"#/components/schemas/Pet"}}}}}}},
               "/pets/{pet_id}/visits":{"get":{"responses":{"2XX":{"content":{"application/vnd.x+json":
                 {"schema":{"type":"array","items":{"$ref":"#/components/schemas/Visit"}}}}}}}},
               "/version":{"get":{"responses":{"200":{"content":{"text/plain":{}}}}}},
               "/loop":{"get":{"responses":{"200":{"$ref":"#/paths/~1loop/get/responses/200"}}}}}}
            """)
        let definition = try draft.definition()
        #expect(definition.baseURL == "https://pets.example.org/api/v3")
        #expect(definition.authorization == .header(name: "X-API-Key", prefix: nil))
        #expect(definition.resources.map(\.name) == ["pets", "visits"])
        let (pets, visits) = (definition.resources[0], definition.resources[1])
        #expect(pets.lists[0].template.description == "/pets?limit=200")
        #expect(pets.paging == .page(parameter: "page", first: 0))
        #expect(pets.rows.description == "data")
        #expect(pets.key == ["id"])
        #expect(pets.show?.description == "/pets/{handle}")
        let types = Dictionary(uniqueKeysWithValues: pets.fields.map { ($0.name, $0.type) })
        #expect(types["weight"] == .real && types["born"] == .time && types["is_good"] == .boolean)
        #expect(types["tags"] == .json && types["any"] == .json && types["name"] == .text)
        #expect(visits.lists[0].template.description == "/pets/{pets.id}/visits")
    }

    private func draft(servers: String, from address: String? = nil) throws -> String {
        try text(
            #"""
            {"openapi":"3.0.3","servers":\#(servers),"paths":{
              "/pets":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":"array",
                "items":{"properties":{"id":{"type":"integer"},"login":{"type":"string"}}}}}}}}}},
              "/pets/{login}":{"get":{"responses":{"200":{"content":{"application/json":{"schema":
                {"properties":{"id":{"type":"integer"},"login":{"type":"string"}}}}}}}}}}}
            """#, from: address)
    }

    @Test(
        "the server is the first absolute one, or one relative to the document, with its variables' defaults",
        arguments: [
            (#"[{"url":"/v3"},{"url":"https://pets.example.org/v4"}]"#, nil, "https://pets.example.org/v4"),
            (
                #"[{"url":"/v3"},{"url":"https://pets.example.org/v4"}]"#,
                "https://docs.example.org/api.json",
                "https://docs.example.org/v3"
            ),
            (
                #"""
                [{"url":"https://{region}.example.org/v{n}",
                "variables":{"region":{"default":"eu"},"n":{"default":"2"}}}]
                """#,
                nil, "https://eu.example.org/v2"
            ),
        ])
    func servers(_ servers: String, _ address: String?, _ baseURL: String) throws {
        let text = try draft(servers: servers, from: address)
        #expect(text.contains("\nbase-url = \(baseURL)\n"), "\(text)")
    }

    @Test("comments do not report invented rows, values or pages")
    func comments() throws {
        let text = try draft(servers: #"[{"url":"https://pets.example.org"}]"#)
        let comments = text.split(separator: "\n").filter { $0.hasPrefix("#") }.dropFirst(2)
        #expect(
            Array(comments) == [
                "# The document does not show how pages follow; if the list has further pages, add NAME.next.",
                "# id is probably the key; check that it is unique.",
                "# People may refer to a row by login; check that it is unique.",
                "# The document has this address of one row.",
            ])
    }

    @Test("JSON that is not a description is refused")
    func others() throws {
        for json in ["[]", #"{"swagger":"1.2","paths":{}}"#, #"{"openapi":"2.0"}"#] {
            #expect(try OpenAPIDocument(try JSONValue(Array(json.utf8))) == nil)
        }
    }

    @Test("a document without answers has no samples")
    func withoutPaths() throws {
        for json in [
            #"{"openapi":"3.1.0","webhooks":{}}"#, #"{"openapi":"3.0.0","paths":{"/x":{"post":{}}}}"#,
        ] {
            #expect(try OpenAPIDocument(try JSONValue(Array(json.utf8)))?.samples().isEmpty == true)
        }
    }
}

// MARK: - One list

extension OpenAPIDraftTests {
    /// The text of the draft of one list.
    private func draft(
        path: String = "/pets", parameters: String = "[]", properties: String = #"{"id":{"type":"integer"}}"#,
        beside: String = "{}", headers: String = "{}", more: String = #""x":0"#, others: String = #""x":{}"#
    ) throws -> String {
        try text(
            #"""
            {"openapi":"3.0.3","servers":[{"url":"https://pets.example.org"}],\#(more),"paths":{
              "\#(path)":{"get":{"parameters":\#(parameters),"responses":{"200":{"headers":\#(headers),
                "content":{"application/json":{"schema":{"allOf":[
                  {"properties":{"data":{"type":"array","items":{"properties":\#(properties)}}}},
                  {"properties":\#(beside)}]}}}}}}},\#(others)}}
            """#)
    }

    private static func query(_ names: String...) -> String {
        let items = names.map { name in
            let parts = name.split(separator: " ", maxSplits: 1)
            let schema = parts.count == 2 ? String(parts[1]) : #""type":"integer""#
            return #"{"in":"query","name":"\#(parts[0])","schema":{\#(schema)}}"#
        }
        return "[\(items.joined(separator: ","))]"
    }

    @Test(
        "the declared parameters, members and headers show how pages follow",
        arguments: [
            (query("page", "limit"), "{}", "page page 0", "/pets?limit=100"),
            (
                query("page[number]", #"page[limit] "default":20"#), "{}", "page page[number] 0",
                "/pets?page[limit]=20"
            ),
            (query(#"page "type":"integer","default":0"#), "{}", "page page 0", "/pets"),
            (query(#"page "minimum":0"#, "offset"), "{}", "page page 0", "/pets"),
            (
                query(#"limit "type":"integer","maximum":2147483647"#, "skip"), "{}", "offset skip",
                "/pets?limit=1000"
            ),
            (
                query(#"startIndex "type":"integer","default":1"#), "{}", "offset startIndex",
                "/pets?startIndex=1"
            ),
            (
                query(#"from "type":"integer","description":"the first row, counted from 1""#), "{}",
                "offset from",
                "/pets?from=1"
            ),
            (
                query(#"startIndex "type":"integer","description":"0-based; at most 1 million""#), "{}",
                "offset startIndex", "/pets"
            ),
            (
                query(#"page "type":"integer","description":"The first page has a zero-based number""#), "{}",
                "page page 0", "/pets"
            ),
            (query(#"from "type":"string","format":"date""#), "{}", nil, "/pets"),
            (query(#"count "type":"boolean","default":false"#), "{}", nil, "/pets"),
            (
                query(#"page_token "type":"string""#, "page_size"), #"{"next_page_token":{"type":"string"}}"#,
                "cursor page_token next_page_token", "/pets?page_size=100"
            ),
            (
                query(#"after "type":"string""#, "page"),
                #"{"paging":{"properties":{"next":{"properties":{"after":{"type":"string"}}}}}}"#,
                "cursor after paging/next/after", "/pets"
            ),
            (
                query("page"), #"{"next":{"type":"string","format":"uri","nullable":true}}"#, "url next",
                "/pets"
            ),
            (query("page"), #"{"next":{"type":"string"}}"#, "page page 0", "/pets"),
            (query(#"x "type":"string""#), #"{"next":{"type":"string"}}"#, "url next", "/pets"),
            (
                query(#"after "type":"string""#),
                #"{"next":{"properties":{"link":{"type":"string"},"after":{"type":"string"}}}}"#,
                "cursor after next/after", "/pets"
            ),
            (
                query(#"page[after] "type":"string""#),
                #"{"links":{"properties":{"next":{"type":"string"}}}}"#, "url links/next", "/pets"
            ),
            (
                query(#"after "type":"number""#, #"before "type":"number""#),
                #"{"cursor":{"properties":{"before":{"type":"number"},"after":{"type":"number"}}}}"#,
                "cursor after cursor/after", "/pets"
            ),
            (
                query("cursor", "limit"), #"{"next_cursor":{"type":"integer"},"count":{"type":"integer"}}"#,
                "cursor cursor next_cursor", "/pets?limit=100"
            ),
            (
                query(#"starting_after "type":"string""#),
                #"{"pages":{"properties":{"next":{"properties":{"starting_after":{"type":"string"}}}}}}"#,
                "cursor starting_after pages/next/starting_after", "/pets"
            ),
            (
                query(#"starting_after "type":"string""#), #"{"has_more":{"type":"boolean"}}"#,
                "last starting_after id", "/pets"
            ),
        ] as [(String, String, String?, String)])
    func paging(_ parameters: String, _ beside: String, _ next: String?, _ path: String) throws {
        let text = try draft(parameters: parameters, beside: beside)
        #expect(text.contains("\npets.path = \(path)\n"), "\(text)")
        if let next {
            #expect(text.contains("\npets.next = \(next)\n"), "\(text)")
        } else {
            #expect(!text.contains("pets.next ="), "\(text)")
        }
    }

    @Test("a declared Link header names the next page")
    func linkHeader() throws {
        let text = try draft(parameters: Self.query("page"), headers: #"{"Link":{}}"#)
        #expect(text.contains("\npets.next = link\n") && text.contains("\npets.path = /pets\n"), "\(text)")
    }

    @Test(
        "types are inferred from every form in which documents declare them",
        arguments: [
            (#"{"type":"string","format":"date"}"#, "time?"),
            (#"{"type":"string","example":"2024-01-02T03:04:05Z"}"#, "time?"),
            (#"{"type":"string","format":"date-time","example":"Tue, 02 Jan 2024"}"#, "text"),
            (##"{"allOf":[{"$ref":"#/x-status"}],"description":"the status"}"##, "text"),
            (##"{"oneOf":[{"$ref":"#/x-status"},{"enum":[""]},{"enum":[null]}]}"##, "text"),
            (#"{"enum":["a","b"]}"#, "text"),
            (#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, "integer"),
            (#"{"type":"string","oneOf":[{"minLength":1},{"maxLength":2}]}"#, "text"),
            (#"{"description":"anything"}"#, "json"),
            (#"{"type":"array","items":{"properties":{"a":{"type":"string"}}}}"#, "json"),
            (#"{"type":"object","additionalProperties":true}"#, "json"),
        ])
    func types(_ schema: String, _ type: String) throws {
        let text = try draft(
            properties: #"{"id":{"type":"number"},"state":\#(schema)}"#,
            more: #""x-status":{"type":"string","enum":["up"]}"#)
        #expect(text.contains("\npets.field.state = \(type)\n"), "\(text)")
        #expect(text.contains("\npets.key = id\npets.field.id = integer\n"), "\(text)")
    }

    @Test("the address of a single row shows what identifies one")
    func keys() throws {
        let row = #"{"name":{"type":"string"},"owner_id":{"type":"integer"}}"#
        let single = #"""
            "/pets/{pet_name}/":{"get":{"responses":{"200":{"content":{"application/json":{"schema":
              {"properties":\#(row)}}}}}}}
            """#
        let text = try draft(path: "/pets/", properties: row, others: single)
        #expect(text.contains("\npets.path = /pets/\n") && text.contains("\npets.key = name\n"), "\(text)")
        #expect(text.contains("\npets.show = /pets/{handle}/\n"), "\(text)")
        for (properties, key) in [
            (#"{"color":{"type":"string"}}"#, "place"),
            (#"{"color":{"type":"string"},"owner_id":{"type":"integer"}}"#, "owner-id"),
            (#"{"color":{"type":"string"},"name":{"type":"string"}}"#, "name"),
            (
                #"{"name":{"type":"string"},"metadata":{"properties":{"uid":{"type":"string"}}}}"#,
                "metadata-uid"
            ),
            (#"{"color":{"type":"string"},"pet_id":{"type":"integer"}}"#, "pet-id"),
            (#"{"chip_id":{"type":"string"},"color":{"type":"string"}}"#, "chip-id"),
        ] {
            #expect(try draft(properties: properties).contains("\npets.key = \(key)\n"))
        }
        // A variable may take one of two members.
        let either = try draft(
            path: "/pets",
            properties: #"""
                {"pet_kind_id":{"type":"string"},"case_id":{"type":"string"},"case_key":{"type":"string"}}
                """#,
            others: #"""
                "/pets/{caseIdOrKey}":{"get":{"responses":{"200":{"description":"one"}}}},
                "/pets/{caseIdOrKey}/toys":{"get":{"responses":{"200":{"content":{"application/json":{"schema":
                  {"type":"array","items":{"properties":{"id":{"type":"integer"}}}}}}}}}}
                """#)
        #expect(either.contains("\npets.key = case-id\n"), "\(either)")
        #expect(either.contains("\ntoys.path = /pets/{pets.case-id}/toys\n"), "\(either)")
        let constant = try draft(
            path: "/chips/{chip_id}/pets",
            properties: #"{"chip_id":{"type":"string"},"color":{"type":"string"}}"#)
        #expect(constant.contains("\npets.key = chip-id-2 place\n"), "\(constant)")
    }

    @Test(
        "credentials come from the schemes that are required, from their descriptions and from parameters",
        arguments: [
            (
                #""security":[{"b":[]}],"#, #""a":{"type":"http","scheme":"basic"},"b":{"type":"oauth2"}"#,
                "bearer"
            ),
            (
                "",
                #""a":{"type":"apiKey","in":"header","name":"my key"},"b":{"type":"http","scheme":"basic"}"#,
                "basic"
            ),
            (
                "",
                #""a":{"type":"apiKey","in":"header","name":"Authorization","description":"Bearer <token>"}"#,
                "bearer"
            ),
            (
                "",
                #""a":{"type":"apiKey","in":"header","name":"Authorization","description":"as `Token token=KEY`"}"#,
                #"header Authorization "Token token=""#
            ),
            (
                "",
                #""a":{"type":"apiKey","in":"header","name":"Authorization","description":"Authorization: SSWS KEY"}"#,
                "header Authorization SSWS"
            ),
            (
                "",
                #""a":{"type":"apiKey","in":"header","name":"Authorization","description":"the key of your account"}"#,
                "header Authorization"
            ),
        ])
    func credentials(_ security: String, _ schemes: String, _ auth: String) throws {
        let text = try draft(more: #"\#(security)"components":{"securitySchemes":{\#(schemes)}}"#)
        #expect(text.contains("\nauth = \(auth)\n"), "\(text)")
    }

    @Test("a secret that is required beside another one is the second, and one in its place is not")
    func twoSecrets() throws {
        let schemes =
            #""a":{"type":"apiKey","in":"query","name":"key"},"b":{"type":"apiKey","in":"query","name":"token"}"#
        for (security, second) in [
            (#"[{"a":[],"b":[]}]"#, "auth-second = query token"), (#"[{"a":[]},{"b":[]}]"#, nil),
            (#"[{"a":[]}]"#, nil),
        ] {
            let text = try draft(
                more: #""security":\#(security),"components":{"securitySchemes":{\#(schemes)}}"#)
            #expect(text.contains("\nauth = query key\n"))
            #expect(
                text.contains("auth-second") == (second != nil) && text.contains(second ?? "auth"), "\(text)")
        }
    }

    @Test("the security of the document counts only for lists without their own")
    func ownSecurity() throws {
        let schema = #"{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"}}}}"#
        func get(_ security: String) -> String {
            #"{"get":{\#(security)"responses":{"200":{"content":{"application/json":{"schema":\#(schema)}}}}}}"#
        }
        func auth(_ own: [String]) throws -> String? {
            let paths = own.enumerated().map { #""/list\#($0.offset)":\#(get($0.element))"# }
            let text = try text(
                #"{"openapi":"3.0.0","servers":[{"url":"https://a.example.org"}],"security":[{"all":[]}],"#
                    + #""components":{"securitySchemes":{"all":{"type":"http","scheme":"basic"},"#
                    + #""own":{"type":"oauth2"},"more":{"type":"apiKey","in":"query","name":"key"}}},"#
                    + #""paths":{\#(paths.joined(separator: ","))}}"#)
            return text.split(separator: "\n").filter { $0.hasPrefix("auth") }.joined(separator: "; ")
        }
        let own = #""security":[{"own":[]}],"#, both = #""security":[{"own":[],"more":[]}],"#
        #expect(try auth([own, own, ""]) == "auth = bearer")
        #expect(try auth([own, "", ""]) == "auth = basic")
        #expect(try auth([both, both, both, ""]) == "auth = bearer; auth-second = query key")
        #expect(try auth([both, own, own]) == "auth = bearer")
    }

    @Test(
        "headers that are parameters become credentials and a comment, without values that may be secrets"
    )
    func headers() throws {
        let secret = "5f4dcc3b5aa765d61d8327deb882cf99"
        let parameters = ["Authorization", "X-Version", "X-Tenant-Id", "App-Key"].map { name in
            #"{"in":"header","name":"\#(name)","required":true,"schema":{"default":"\#(secret)"}}"#
        }
        let query = #"{"in":"query","name":"api_key","required":true,"schema":{"default":"\#(secret)"}}"#
        let text = try draft(parameters: "[\((parameters + [query]).joined(separator: ","))]")
        #expect(text.contains("\nauth = bearer\n"), "\(text)")
        #expect(
            text.contains("# The document requires the headers x-version, x-tenant-id; add a line"), "\(text)"
        )
        #expect(text.contains("\npets.path = /pets\n") && !text.contains(secret), "\(text)")
    }

    @Test("required parameters become arguments whose words differ from those of a template")
    func arguments() throws {
        let parameters = ["text", "project_key", "filter[x]"].map {
            #"{"in":"query","name":"\#($0)","required":true,"schema":{"type":"string"}}"#
        }
        let text = try draft(parameters: "[\(parameters.joined(separator: ","))]")
        let date = #"{"in":"query","name":"from","required":true,"schema":{"type":"string","format":"date"}}"#
        #expect(try draft(parameters: "[\(date)]").contains("\npets.path = /pets?from={from}\n"))
        let json = #"{"in":"query","name":"q","required":true,"schema":{"default":"{ a(x: 1) }"}}"#
        #expect(
            try draft(parameters: "[\(json)]").contains("\npets.path = /pets?q=%7B%20a%28x%3A%201%29%20%7D\n")
        )
        let query = "text={text-value}&project_key={project-key}&filter[x]={filter-x}"
        #expect(text.contains("\npets.path = /pets?\(query)\n"), "\(text)")
    }

    @Test(
        "no argument has a word with another meaning in addresses, or almost one",
        arguments: Template.reservedWords)
    func reservedArguments(_ word: String) throws {
        let parameters = [word, "untill"].map {
            #"{"in":"query","name":"\#($0)","required":true,"schema":{"type":"string"}}"#
        }
        // The same variable in the path takes the longer word first.
        let path = try draft(path: "/tags/{\(word)}/a..{\(word)}/pets", parameters: "[\(parameters[1])]")
        #expect(
            path.contains(
                "\npets.path = /tags/{\(word)-name}/a..{\(word)-name-name}/pets?untill={untill-value}\n"),
            "\(path)")
        // A parameter with this name is left out as a secret.
        guard word != "key" else { return }
        let query = try draft(parameters: "[\(parameters[0])]")
        #expect(query.contains("\npets.path = /pets?\(word)={\(word)-value}\n"), "\(query)")
    }
}

// MARK: - Several addresses

extension OpenAPIDraftTests {
    private func get(_ path: String, _ schema: String, type: String = "application/json") -> String {
        #""\#(path)":{"get":{"responses":{"200":{"content":{"\#(type)":{"schema":\#(schema)}}}}}}"#
    }

    private func text(of paths: String...) throws -> String {
        try text(
            #"{"openapi":"3.0.3","servers":[{"url":"https://h.example"}],"paths":{\#(paths.joined(separator: ","))}}"#
        )
    }

    private static let rows = #"{"type":"array","items":{"properties":{"id":{"type":"integer"}}}}"#

    @Test("names leave room for each other in the names of collections")
    func longNames() throws {
        let owner = "distribution-channels-of-wholesale-partners"
        for host in ["partners.co.uk", "a-company-with-an-unusually-long-name.com"] {
            let text = try text(
                #"""
                {"openapi":"3.0.3","servers":[{"url":"https://api.\#(host)"}],"paths":{
                  \#(get("/assignments-of-\(owner)", Self.rows)),\#(get("/x/{id}/assignments-of-\(owner)", Self.rows)),
                  \#(get("/\(owner)/accounts", Self.rows))}}
                """#)
            #expect(
                text.contains("\napi = \(host.hasSuffix("uk") ? "partners" : "an-unusually-long-name")\n"),
                "\(text)")
            let definition = try #require(
                Definition.reading(path: "draft", bytes: Array(text.utf8)).definition)
            #expect(definition.resources.count == 3)
            for name in definition.resources.map(\.name) {
                #expect("\(definition.api)_\(name)".utf8.count <= Field.nameBytesMax, "\(name)")
            }
        }
    }

    @Test("each level of nested lists takes the keys of the rows above it")
    func nestedLists() throws {
        let text = try text(
            of: get("/users/", Self.rows), get("/users/{id}/posts/", Self.rows),
            get("/users/{user_id}/posts/{post_id}/notes/", Self.rows),
            get("/users/{workspace}/teams/", Self.rows))
        #expect(text.contains("\nposts.path = /users/{users.id}/posts/\n"), "\(text)")
        #expect(text.contains("\nnotes.path = /users/{posts.user-id}/posts/{posts.id}/notes/\n"), "\(text)")
        #expect(text.contains("\nnotes.field.post-id = integer {posts.id}\n"), "\(text)")
        #expect(text.contains("\nteams.path = /users/{workspace}/teams/\n"), "\(text)")
    }

    @Test(
        "lists with the same last part are named after what they belong to, and lists of the same rows stay apart"
    )
    func names() throws {
        let text = try text(
            of: get("/v1/users/{id}/cards", Self.rows), get("/v1/shops/{id}/cards", Self.rows),
            get("/v1/cards", Self.rows), get("/v1/cards/{year}", Self.rows),
            get("/v1/cards/get-all-kinds", Self.rows),
            get("/v1/cards/kinds/list", Self.rows))
        #expect(
            text.contains("\ncards.path = /cards\n") && text.contains("\nkinds.path = /cards/get-all-kinds\n")
        )
        #expect(text.contains("\nlist-kinds.path = /cards/kinds/list\n"), "\(text)")
        #expect(text.contains("\nuser-cards.path = /users/{id}/cards\n"), "\(text)")
        #expect(text.contains("\nshop-cards.path = /shops/{id}/cards\n"), "\(text)")
        #expect(text.contains("\nyear-cards.path = /cards/{year}\n"), "\(text)")
        let gadgets = try self.text(
            of: get("/boards/gadgets", Self.rows), get("/boards", Self.rows),
            get("/boards/{id}/gadget", Self.rows))
        #expect(gadgets.contains("\ngadgets.path = /boards/gadgets\n"), "\(gadgets)")
        #expect(gadgets.contains("\nboard-gadget.path = /boards/{boards.id}/gadget\n"), "\(gadgets)")
    }

    @Test(
        "an object below a variable is a single row, and the array that is named as the address has the rows")
    func places() throws {
        let order =
            #"{"properties":{"order":{"properties":{"id":{"type":"integer"},"lines":\#(Self.rows)}}}}"#
        let list = #"{"properties":{"errors":\#(Self.rows),"data":\#(Self.rows),"orders":\#(Self.rows)}}"#
        let text = try text(of: get("/orders/{order_id}", order), get("/orders", list, type: "*/*"))
        #expect(
            text.contains("\norders.rows = orders\n") && text.contains("\norders.detail.lines = json\n"),
            "\(text)")
        #expect(text.ranges(of: ".path = ").count == 1, "\(text)")
        let page = ["next", "page", "pagelen", "previous", "size", "total"].map {
            #""\#($0)":{"type":"string"}"#
        }
        let values = #"{"properties":{"values":\#(Self.rows),\#(page.joined(separator: ","))}}"#
        let shops = try self.text(of: get("/orders/{shop}", values), get("/other", Self.rows))
        #expect(shops.contains("\norders.rows = values\n"), "\(shops)")
    }

    @Test("variables may be parts of a segment, and a path may have a query")
    func variables() throws {
        let row = #"{"properties":{"id":{"type":"integer"}}}"#
        let text = try text(
            of: get("/users.json", Self.rows), get("/users/{Sid}.json", row),
            get("/users/{Sid}/calls.json?kind=new", Self.rows), get("/diff/{a}...{bX}/files", Self.rows))
        #expect(text.contains("\nusers.show = /users/{handle}.json\n"), "\(text)")
        #expect(text.contains("\ncalls.path = /users/{users.id}/calls.json?kind=new\n"), "\(text)")
        #expect(text.contains("\nfiles.path = /diff/{a}...{b-x}/files\n"), "\(text)")
    }

    @Test("an example is used where a document has no schema")
    func examples() throws {
        let text = try text(
            #"""
            {"openapi":"3.0.3","paths":{"/pets":{"servers":[{"url":"https://{shop}.example/v2",
              "variables":{"shop":{"default":"my"}}}],"get":{"responses":{"201":{"content":{"application/json":{
              "schema":{"type":"object"},"examples":{"one":{"value":"{\"pets\":[{\"id\":3,\"name\":\"Rex\"}]}"}}}}}}}}}}
            """#)
        #expect(text.contains("\nbase-url = https://my.example/v2\n"), "\(text)")
        #expect(
            text.contains("# The address contains the document's values for shop; set yours.\n"), "\(text)")
        #expect(text.contains("\npets.rows = pets\n") && text.contains("\npets.key = id\n"), "\(text)")
        #expect(!text.contains("Rex") && !text.contains("pets.handle"), "\(text)")
    }

    @Test("a variable at the front of nearly every path is a setting, and lists below it keep their parents")
    func settings() throws {
        let front = "/api/stores/{store_hash}/v3"
        let text = try text(
            of: get("\(front)/products", Self.rows), get("\(front)/products/{id}/images", Self.rows),
            get("\(front)/regions/{store_hashes}/taxes", Self.rows))
        #expect(text.contains("\nbase-url = https://h.example/api/stores/{store-hash}/v3\n"), "\(text)")
        #expect(text.contains("\nsetting.store-hash = the store-hash at the front of the paths\n"), "\(text)")
        #expect(text.contains("\nimages.path = /products/{products.id}/images\n"), "\(text)")
        #expect(text.contains("\ntaxes.path = /regions/{store-hashes-name}/taxes\n"), "\(text)")
        let others = (0..<9).map { get("/x/{account_id}/list\($0)", Self.rows) }
        let most = try self.text(of: others.joined(separator: ","), get("/x/{account_id}", Self.rows))
        #expect(most.contains("\nlist3.path = /x/{account-id}/list3\n"), "\(most)")
        #expect(most.contains("\nsetting.account-id = ") && !most.contains("setting--"), "\(most)")
    }

    @Test("a variable that a list provides, that few paths begin with, or that is a secret is not a setting")
    func notSettings() throws {
        func lists(_ front: String) -> String {
            (0..<4).map { get("\(front)/list\($0)", Self.rows) }.joined(separator: ",")
        }
        for (text, path) in [
            (try text(of: lists("/a/{id}"), get("/a.json", Self.rows)), "/a/{a.id}/list0"),
            (try text(of: lists("/a/{id}"), get("/b", Self.rows)), "/a/{id}/list0"),
            (try text(of: lists("/{api_key}")), "/{api-key}/list0"),
            (
                try text(
                    of: ["a", "b", "c"].map { get("/v1/{type}/\($0)", Self.rows) }.joined(separator: ","),
                    get("/v1/{type}/{kind}", Self.rows)), "/{type}/a"
            ),
        ] {
            #expect(text.contains(".path = \(path)\n") && !text.contains("setting"), "\(text)")
        }
    }

    @Test("an unknown server is not invented silently")
    func unknownServer() throws {
        for servers in ["[]", #"[{"url":"/v3"}]"#, #"[{"url":"{{base_url}}"}]"#] {
            let text = try draft(servers: servers)
            #expect(
                text.contains(
                    "\napi = api\n# The sample does not contain the address of the API; set it here.\n"))
        }
    }

    @Test("a document with more lists than a definition has room for loses those with the longest addresses")
    func manyLists() throws {
        let properties = (0..<36).map { #""a_rather_long_name_of_a_member_\#($0)":{"type":"string"}"# }
        let rows =
            #"{"type":"array","items":{"properties":{"id":{"type":"integer"},\#(properties.joined(separator: ","))}}}"#
        let text = try text(
            of: ([get("/long/{id}/x", rows)] + (0..<480).map { get("/list\($0)", rows) }).joined(
                separator: ","))
        #expect(text.utf8.count <= 1 << 20 && text.utf8.count > 1_000_000)
        #expect(text.contains("with longer addresses were left out") && !text.contains("x.path ="))
    }

    @Test("no text of a document breaks out of its place in the definition")
    func hostileDocuments() throws {
        let bad = #"x\nauth = none\r\n# \u001b[31m=\u2028y"#
        let parameters = ["query", "header"].map {
            #"{"in":"\#($0)","name":"\#(bad)","required":true,"description":"\#(bad)","schema":{"default":"\#(bad)"}}"#
        }
        let text = try draft(
            parameters: "[\(parameters.joined(separator: ","))]",
            properties: #"{"id":{"type":"integer"},"\#(bad)":{"type":"string"}}"#,
            beside: #"{"next_\#(bad)":{"type":"string"},"\#(bad)":\#(Self.rows)}"#,
            more: #"""
                "info":{"title":"\#(bad)"},
                "components":{"securitySchemes":{"a":{"type":"apiKey","in":"query","name":"\#(bad)"}}}
                """#,
            others: get("/\(bad)", Self.rows) + "," + get("/pets/{\(bad)}/x", Self.rows))
        #expect(
            !text.contains("\u{1B}") && !text.contains("\u{2028}") && !text.contains("\nauth = none"),
            "\(text)")
    }
}
