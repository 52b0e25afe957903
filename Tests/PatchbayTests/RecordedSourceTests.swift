import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
import PatchbayTestKit
import Testing

@Suite("A recording of an API with a definition of its own")
struct RecordedSourceTests {
    private let folder: TemporaryDirectory

    /// A recording of three authors at an address, and the definition of their API beside it.
    init() throws {
        folder = try TemporaryDirectory()
        try folder.write(
            """
            api = books
            base-url = https://books.example.org/v1
            authors.path = /authors
            authors.key = id
            authors.handle = slug
            authors.field.id = integer
            authors.field.slug = text
            """, to: "books.conf")
        try record(at: "https://books.example.org/v1")
    }

    private func record(at address: String) throws {
        let body = #"[{"id":1,"slug":"ada"},{"id":2,"slug":"bo"},{"id":3,"slug":"cy"}]"#
        try folder.write(TestHAR.file(TestHAR.entry(address + "/authors", body: body)), to: "books.har")
    }

    /// The handles of the first rows, with a configuration file in the recording's folder.
    private func handles(_ lines: String, resource: String = "authors") async throws -> [String] {
        try folder.write(
            "source = recorded\nsource.path = books.har\nstorage = memory\n\(lines)\n", to: "recorded.conf")
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(
                file: folder.path + "/recorded.conf", environment: ["HOME": folder.path]))
        let answer = try await gateway.list(resource, limit: 10).ending
        try await gateway.close()
        if case .failed(let error) = answer.outcome { throw error }
        return answer.value?.items.map(\.handle) ?? []
    }

    private func message(_ lines: String, resource: String = "authors") async throws -> String {
        let error = await #expect(throws: PatchbayError.self) { try await handles(lines, resource: resource) }
        return error?.description ?? ""
    }

    @Test("source.definition names its file relative to the configuration file")
    func definition() async throws {
        #expect(try await handles("source.definition = books.conf") == ["ada", "bo", "cy"])
        #expect(try await handles("source.definition = ./books.conf") == ["ada", "bo", "cy"])
    }

    @Test("a recording at another address needs source.base-url, whatever its scheme")
    func otherAddress() async throws {
        try record(at: "http://127.0.0.1:8080/api")
        let refused = try await message("source.definition = books.conf")
        #expect(refused.contains("only with 127.0.0.1"), "\(refused)")
        #expect(refused.contains("set source.base-url"), "\(refused)")
        let lines = "source.definition = books.conf\nsource.base-url = http://127.0.0.1:8080/api"
        #expect(try await handles(lines) == ["ada", "bo", "cy"])
    }

    @Test(
        "of two APIs on one host, the first request's path decides",
        arguments: [("rest/api/3", "boards"), ("wiki/api/v2", "blogposts")])
    func sharedHost(_ path: String, _ resource: String) async throws {
        try record(at: "https://acme.atlassian.net/\(path)")
        for line in ["", "\nsource.base-url = https://acme.atlassian.net/\(path)"] {
            let refused = try await message("source.settings = site=acme" + line)
            #expect(refused.contains(resource), "\(refused)")
        }
    }

    // Reading all would take most of the time in which a command starts.
    @Test("of all definitions, only that of the recorded API is read")
    func reading() async throws {
        let books = try String(contentsOfFile: "\(folder.path)/books.conf", encoding: .utf8)
        let definitions = [
            BundledDefinition("other", text: "hosts = other.example.org\nReading this ends the program."),
            BundledDefinition("books", text: books),
        ]
        let apis = definitions.map { definition in
            SourceAPI(definition) { _, _, _ in Source(name: definition.name) }
        }
        let settings = Settings("source", ["path": "\(folder.path)/books.har"])
        let source = try await Plugin<ConfiguredSource>.recorded(apis: apis).open(settings)
        try source.check()
        #expect(source.resources[0].resources.map(\.name) == ["authors"])
    }

    @Test("without a definition, the error names the recorded host and the key to set")
    func unknown() async throws {
        for line in ["", "source.base-url = https://books.example.org/v1"] {
            let refused = try await message(line, resource: "users")
            #expect(refused.contains("exchanges with books.example.org"), "\(refused)")
            let words = "which identify no API; set source.definition to github, slack, "
            #expect(refused.contains(words), "\(refused)")
            #expect(refused.contains(" or the file of another definition"), "\(refused)")
        }
    }

    @Test(
        "a definition that does not exist is an error",
        arguments: [
            ("githup", "there is no bundled definition \"githup\" (did you mean \"github\"?)"),
            ("none.conf", "there is no file"), ("~/none.conf", "there is no file"),
        ])
    func missing(_ value: String, _ words: String) async throws {
        let refused = try await message("source.definition = \(value)")
        #expect(refused.contains("source.definition") && refused.contains(words), "\(refused)")
    }
}
