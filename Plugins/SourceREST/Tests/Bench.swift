import PatchbayTestKit
import CPlatform
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceREST
import Testing

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

/// The shared folder: PATCHBAY_SHARED, or beside the checkout.
let shared = unsafe getenv("PATCHBAY_SHARED").map { unsafe String(cString: $0) } ?? packageRoot + "/../shared"

extension ScriptedNetworking {
    /// The paths, each followed by the body if there is one.
    var lines: [String] { zip(paths, bodies).map { $0 + ($1.isEmpty ? "" : " " + $1) } }
}

/// A definition over scripted answers.
struct Bench {
    let definition: Definition
    let networking: ScriptedNetworking
    let source: Source

    init(_ text: String, _ networking: ScriptedNetworking) throws {
        let (definition, faults) = Definition.reading(path: "x.conf", bytes: Array(text.utf8))
        if let fault = faults.first { throw fault }
        try self.init(#require(definition), networking)
    }

    /// A list of `rows`, whose answers come by the paths and bodies of their requests.
    init(rows lines: String, _ answers: [String: String]) throws {
        let text = """
            api = x
            rows.path = /rows?limit=2
            rows.key = id
            rows.field.id = integer
            rows.rows = data

            """ + lines
        let networking = ScriptedNetworking { request, body, _ in
            let line = (request.path ?? "") + (body.isEmpty ? "" : " " + body)
            guard let answer = answers[line] else {
                throw PatchbayError(.internalError, "not expected: \(line)")
            }
            return Response(200, [], answer)
        }
        try self.init(text, networking)
    }

    init(_ definition: Definition, _ networking: ScriptedNetworking) throws {
        self.definition = definition
        self.networking = networking
        source = SourceAPI.rest(definition).open(networking, definition.baseURL ?? "https://api.example.org")
    }

    func resource(_ name: String? = nil) throws -> Resource {
        let declaration = name.flatMap(definition.resource) ?? definition.resources[0]
        return try Resource(declaration, api: definition.api)
    }

    /// All pages of a list, up to ten.
    func pages(_ question: ListQuestion) async throws -> [ItemPage] {
        let feed = try #require(source.feed)
        var pages: [ItemPage] = []
        var next: String?
        repeat {
            let fetched = try await feed.page(ItemRequest(question, next: next), ifChangedFrom: Validator())
            guard case .changed(let page, _) = fetched else { break }
            pages.append(page)
            next = page.next
        } while next != nil && pages.count < 10
        return pages
    }

    func items(_ name: String? = nil, parent: Item? = nil) async throws -> [Item] {
        try await pages(ListQuestion(resource(name), parent: parent)).flatMap(\.items)
    }
}
