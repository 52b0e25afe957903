import CPlatform
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceREST
import Synchronization
import Testing

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

/// The shared folder: PATCHBAY_SHARED, or beside the checkout.
let shared = unsafe getenv("PATCHBAY_SHARED").map { unsafe String(cString: $0) } ?? packageRoot + "/../shared"

/// Answers requests and keeps them, with their bodies.
final class Scripted: Networking {
    struct Asked {
        let request: HTTPRequest
        let body: String

        /// The path, and the body if there is one.
        var line: String { (request.path ?? "") + (body.isEmpty ? "" : " " + body) }
    }

    private let answer: @Sendable (HTTPRequest, String) throws -> Response
    private let kept = Mutex<[Asked]>([])

    init(_ answer: @escaping @Sendable (HTTPRequest, String) throws -> Response) { self.answer = answer }

    convenience init(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "[]") {
        let response = Response(status, fields, body)
        self.init { _, _ in response }
    }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let text = String(decoding: body, as: UTF8.self)
        kept.withLock { $0.append(Asked(request: request, body: text)) }
        return try answer(request, text)
    }

    var asked: [Asked] { kept.withLock { $0 } }
    var paths: [String] { asked.map { $0.request.path ?? "" } }
}

extension Response {
    init(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String) {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            headerFields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        self.init(
            head: HTTPResponse(status: .init(code: status), headerFields: headerFields),
            body: Array(body.utf8))
    }
}

/// A definition over scripted answers.
struct Bench {
    let definition: Definition
    let networking: Scripted
    let source: Source

    init(_ text: String, _ networking: Scripted) throws {
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
        let networking = Scripted { request, body in
            let line = Scripted.Asked(request: request, body: body).line
            guard let answer = answers[line] else {
                throw PatchbayError(.internalError, "not expected: \(line)")
            }
            return Response(200, [], answer)
        }
        try self.init(text, networking)
    }

    init(_ definition: Definition, _ networking: Scripted) throws {
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
