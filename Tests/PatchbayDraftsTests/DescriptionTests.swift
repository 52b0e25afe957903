import PatchbayCore
import PatchbayDomain
import PatchbayJSON
import Testing

@testable import PatchbayDrafts

@Suite("Descriptions in YAML, in Swagger 2 and in several files")
struct DescriptionTests {
    private func samples(_ text: String, _ files: [String: String] = [:]) throws -> [DraftSample] {
        try DraftSample.all(in: Array(text.utf8), name: "api.yaml") { files[$0].map { Array($0.utf8) } }
    }

    private func definition(_ text: String, _ files: [String: String] = [:]) throws -> Definition {
        try DefinitionDraft(try samples(text, files), name: "api", source: "api.yaml").definition()
    }

    private func problem(_ text: String, _ files: [String: String] = [:]) -> String {
        do {
            _ = try samples(text, files)
            return ""
        } catch {
            return (error as? PatchbayError)?.message ?? "\(error)"
        }
    }

    private static let openAPI = """
        openapi: 3.1.0
        servers: [{url: https://shops.example.org/v1}]
        paths:
          /shops:
            get:
              parameters:
                - {in: query, name: page, schema: {type: integer}}
              responses:
                200:
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          shops:
                            type: array
                            items:
                              type: object
                              required: [id]
                              properties:
                                id: {type: integer}
                                country: {type: string, enum: [NO, SE]}
                                opened: {type: string, format: date-time}
        """

    @Test("a description in YAML gives the definition that it gives in JSON")
    func yaml() throws {
        let definition = try definition(Self.openAPI), shops = definition.resources[0]
        #expect(definition.baseURL == "https://shops.example.org/v1")
        #expect(shops.name == "shops" && shops.key == ["id"])
        #expect(shops.paging == .page(parameter: "page", first: 0))
        let types = Dictionary(uniqueKeysWithValues: shops.fields.map { ($0.name, $0.type) })
        #expect(types["country"] == .text && types["opened"] == .time && types["id"] == .integer)
        var writer = JSONWriter()
        writer.value(try YAMLReader.value(Array(Self.openAPI.utf8)))
        let json = String(decoding: writer.bytes, as: UTF8.self)
        let again = try DefinitionDraft(try samples(json), name: "api", source: "api.yaml")
        #expect(
            try again.text == DefinitionDraft(samples(Self.openAPI), name: "api", source: "api.yaml").text)
    }

    @Test("Swagger 2 has schemas in answers, types in parameters, and its server in parts")
    func swagger() throws {
        let definition = try definition(
            """
            swagger: "2.0"
            host: shops.example.org
            basePath: /v2
            schemes: [http, https]
            produces: [application/json]
            securityDefinitions:
              key: {type: apiKey, in: query, name: appid}
              login: {type: basic}
            security: [{login: []}]
            parameters:
              size: {in: query, name: limit, type: integer, maximum: 200}
            definitions:
              Shop: {type: object, properties: {id: {type: integer, format: int64}, name: {type: string}}}
              Hour: {type: object, required: [id], properties: {id: {type: string}, opens: {type: string}}}
            responses:
              Shops: {description: x, schema: {type: array, items: {$ref: '#/definitions/Shop'}}}
            paths:
              /shops:
                get:
                  parameters:
                    - {in: query, name: offset, type: integer, default: 0}
                    - $ref: '#/parameters/size'
                  responses: {200: {$ref: '#/responses/Shops'}}
              /shops/{shopId}:
                get: {responses: {200: {description: x, schema: {$ref: '#/definitions/Shop'}}}}
              /shops/{shopId}/hours:
                parameters: [{in: path, name: shopId, type: integer, required: true}]
                get:
                  responses:
                    200:
                      description: x
                      schema: {properties: {hours: {type: array, items: {$ref: '#/definitions/Hour'}}}}
              /page:
                get: {produces: [text/html], responses: {200: {schema: {type: array, items: {type: object}}}}}
              /codes:
                get:
                  responses: {200: {description: x, examples: {application/json: [{code: a}, {code: b}]}}}
            """)
        #expect(definition.baseURL == "https://shops.example.org/v2" && definition.authorization == .basic)
        #expect(definition.resources.map(\.name) == ["shops", "hours", "codes"])
        let (shops, hours) = (definition.resources[0], definition.resources[1])
        #expect(shops.lists[0].template.description == "/shops?limit=200")
        #expect(shops.paging == .offset(parameter: "offset") && shops.show?.description == "/shops/{handle}")
        #expect(hours.lists[0].template.description == "/shops/{shops.id}/hours")
    }

    @Test("references lead to other files below the folder, also from there, and to no others")
    func files() throws {
        let root = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths:
              /shops: {$ref: './paths/shops.yaml'}
              /owners:
                get: {$ref: 'paths/owners.json#/list'}
              /bad:
                get:
                  responses: {200: {content: {application/json: {schema: {$ref: '../secret.yaml#/x'}}}}}
            components: {schemas: {Name: {type: string}}}
            """
        let files = [
            "paths/shops.yaml": """
            get:
              responses:
                200:
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: '../schemas/shop.yaml#/Shop'}}
            """,
            "paths/owners.json": #"""
            {"list":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/rows"}}}}}},
             "rows":{"type":"array","items":{"$ref":"../schemas/shop.yaml#/Owner"}}}
            """#,
            "schemas/shop.yaml": """
            Shop: {properties: {id: {type: integer}, name: {$ref: '../api.yaml#/components/schemas/Name'},
              owner: {$ref: '#/Owner'}}}
            Owner: {properties: {id: {type: integer}, shop: {$ref: '#/Shop'}}}
            """,
            "api.yaml": root, "../secret.yaml": "x: {type: array, items: {type: object}}",
        ]
        var asked: [String] = []
        let document = try #require(
            try OpenAPIDocument(try YAMLReader.value(Array(root.utf8))) { path in
                asked.append(path)
                return files[path].map { Array($0.utf8) }
            })
        #expect(document.unreadFiles == ["../secret.yaml"])
        #expect(Set(asked) == ["paths/shops.yaml", "paths/owners.json", "schemas/shop.yaml", "api.yaml"])
        let definition = try definition(root, files)
        #expect(definition.resources.map(\.name) == ["shops", "owners"])
        #expect(definition.resources[0].fields.map(\.name).contains("name"))
        for outside in [
            "/etc/passwd", "https://b.example/x.yaml", "..", "a/../../b.yaml", "file:x", "%2e%2e/b.yaml",
        ] {
            let text = "openapi: 3.0.0\npaths: {/a: {$ref: '\(outside)'}}"
            #expect(
                problem(text)
                    == "api.yaml describes no operation; it refers to \(outside), which is not below the "
                    + "folder of the document")
        }
    }

    @Test("files that are wrong, and references in circles, end in a sentence")
    func badFiles() throws {
        let root = "openapi: 3.0.0\npaths: {/a: {$ref: 'b.yaml'}}"
        #expect(
            problem(root, ["b.yaml": "a: ["])
                .hasPrefix("api.yaml describes no operation; \"b.yaml\" cannot be read as YAML: line 1"))
        #expect(problem(root, ["b.yaml": "$ref: 'b.yaml'"]).hasPrefix("api.yaml describes no operation"))
        #expect(
            problem(root, ["b.yaml": "$ref: 'c.yaml'", "c.yaml": "$ref: 'b.yaml#'"]).contains("no operation"))
    }

    @Test("a file that is neither JSON nor YAML is left out with its name, and the lists remain")
    func samplesOfCode() throws {
        let text = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths:
              /shops:
                get:
                  x-samples: [{source: {$ref: shops.js}}]
                  responses: {200: {content: {application/json: {schema: {type: array, items:
                    {properties: {id: {type: integer}}}}}}}}
            """
        let samples = try samples(text, ["shops.js": "const a = {b: 1}; c(\"d\": e)"])
        let draft = try DefinitionDraft(samples, name: "api", source: "api.yaml")
        #expect(draft.text.contains("\nshops.path = /shops\n"))
        #expect(draft.sentences.last == "left out: 1 file that is neither JSON nor YAML: shops.js")
    }

    @Test("the files that leave a description without rows are named")
    func withoutRows() throws {
        let text = """
            openapi: 3.0.0
            servers: [{url: https://shops.example.org}]
            paths: {/a: {get: {responses: {200: {content: {application/json: {schema: {$ref: 'c.yaml'}}}}}}}}
            """
        let samples = try samples(text)
        let error = #expect(throws: PatchbayError.self) {
            try DefinitionDraft(samples, name: "api", source: "api.yaml")
        }
        #expect(
            error?.message.contains("left out: 1 file that is missing or not below the folder: c.yaml")
                == true)
    }

    @Test(
        "descriptions in other formats are refused by name",
        arguments: [
            (
                #"{"info":{"schema":"https://schema.getpostman.com/v2.1.0/x.json"},"item":[{"name":"a"}]}"#,
                "a Postman"
            ),
            (#"{"swaggerVersion":"1.2","apis":[{"path":"/a"}]}"#, "a description in Swagger 1.2"),
            (#"{"openapi":"4.0.0","paths":{}}"#, "a description in OpenAPI 4.0.0"),
            ("asyncapi: 2.0.0\nchannels: {}", "a description in AsyncAPI 2.0.0"),
            (#"{"data":{"__schema":{"types":[{"name":"a"}]}}}"#, "the schema of a GraphQL API"),
        ])
    func otherFormats(_ text: String, _ format: String) {
        let problem = problem(text)
        #expect(
            problem.hasPrefix("api.yaml is \(format)") && problem.contains("which is not supported"),
            "\(problem)")
    }

    @Test("a key of a description in JSON that comes twice is an error, as in YAML")
    func repeatedKeys() {
        #expect(
            problem(#"{"openapi":"3.0.0","paths":{"/a":{},"/a":{}}}"#)
                == "api.yaml has the key \"/a\" twice in one object; remove one")
    }

    @Test("a description without lists says what it has instead")
    func empty() {
        #expect(
            problem("openapi: 3.0.0\npaths: {/a: {post: {}, delete: {}}}")
                == "api.yaml describes no GET, but 2 other operations; use an answer or a recording of the API"
        )
        #expect(
            problem("swagger: '2.0'\npaths: {/a: {get: {responses: {200: {description: x}}}}, /b: {get: {}}}")
                == "api.yaml describes no GET that returns JSON objects: of 2 GETs, 2 declare no JSON answer, 0 "
                + "another one; use an answer or a recording of the API")
    }

    @Test("a text that is neither JSON nor YAML is reported as what it looks like")
    func neither() {
        for text in ["{\"a\":", "<html>", "hello", "\"x"] {
            #expect(throws: PatchbayError.self) {
                try DraftSample.all(in: Array(text.utf8), name: "\"answer.txt\"")
            }
        }
        #expect(
            problem("a: b: c")
                == "api.yaml cannot be read as YAML: line 1: \": \" is in a value on the same line "
                + "as its key; put the value in quotes")
    }
}
