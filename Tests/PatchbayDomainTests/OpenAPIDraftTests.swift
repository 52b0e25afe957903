import PatchbayCore
import PatchbayJSON
import Testing

@testable import PatchbayDomain

@Suite("Drafts of definitions from OpenAPI")
struct OpenAPIDraftTests {
    private func definition(_ json: String) throws -> Definition {
        let document = try #require(OpenAPIDocument(try JSONValue(Array(json.utf8))))
        let draft = try DefinitionDraft(document.samples(), name: "api", source: "api.json")
        let (definition, faults) = Definition.reading(path: "draft", bytes: Array(draft.text.utf8))
        #expect(faults.map(\.description) == [], "\(draft.text)")
        return try #require(definition)
    }

    @Test("lists, types, references, children, single rows and credentials become a definition")
    func document() throws {
        let definition = try definition(
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
        #expect(definition.baseURL == "https://pets.example.org/api/v3")
        #expect(definition.authorization == .header(name: "X-API-Key", prefix: nil))
        #expect(definition.resources.map(\.name) == ["pets", "visits"])
        let (pets, visits) = (definition.resources[0], definition.resources[1])
        #expect(pets.lists[0].template.description == "/pets?limit=200")
        #expect(pets.paging == .page(parameter: "page", first: 1))
        #expect(pets.rows.description == "data")
        #expect(pets.key == ["id"])
        #expect(pets.show?.description == "/pets/{handle}")
        let types = Dictionary(uniqueKeysWithValues: pets.fields.map { ($0.name, $0.type) })
        #expect(types["weight"] == .real && types["born"] == .time && types["is_good"] == .boolean)
        #expect(types["tags"] == .json && types["any"] == .json && types["name"] == .text)
        #expect(visits.lists[0].template.description == "/pets/{pets.id}/visits")
    }

    private func draft(servers: String, from address: String? = nil) throws -> String {
        let json = #"""
            {"openapi":"3.0.3","servers":\#(servers),"paths":{
              "/pets":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"type":"array",
                "items":{"properties":{"id":{"type":"integer"},"login":{"type":"string"}}}}}}}}}},
              "/pets/{login}":{"get":{"responses":{"200":{"content":{"application/json":{"schema":
                {"properties":{"id":{"type":"integer"},"login":{"type":"string"}}}}}}}}}}}
            """#
        let document = try #require(OpenAPIDocument(try JSONValue(Array(json.utf8))))
        let samples = document.samples(from: address.flatMap { HTTPAddress($0) })
        return try DefinitionDraft(samples, name: "api", source: "api.json").text
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
                "# The document does not show how pages follow; if the list has further pages, add a line such as",
                "# NAME.next = page PARAM, NAME.next = offset PARAM or NAME.next = cursor PARAM PATH, because without",
                "# one only a Link header is followed.",
                "# id is probably the key; check that it is unique.",
                "# People may refer to a row by login; check that it is unique.",
                "# The document has this address of one row.",
            ])
    }

    @Test("JSON that is not an OpenAPI 3 document is refused")
    func others() throws {
        for json in ["[]", #"{"swagger":"2.0","paths":{}}"#, #"{"openapi":"3.1"}"#] {
            #expect(OpenAPIDocument(try JSONValue(Array(json.utf8))) == nil)
        }
    }
}
