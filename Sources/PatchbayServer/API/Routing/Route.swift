import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// An operation: its path, parameters, answers and handler.
///
/// Routing, checks of requests, `Allow` and the OpenAPI description are derived from these values.
struct Route: Sendable {
    /// Performs the operation; thrown errors become a ``Problem``.
    typealias Handler = @Sendable (APIRequest, API) async throws -> ServerResponse

    let method: HTTPRequest.Method
    let path: PathTemplate
    /// The operation's name in the OpenAPI description: `listRows`.
    let operation: String
    let summary: String
    var parameters: [Parameter] = []
    /// What further parameters, whose names a client chooses, mean; nil when there are none.
    var others: Parameter?
    /// The precondition that the operation needs or respects.
    var condition = Condition.none
    var body: Body?
    /// The forms of a successful answer; none for an answer without content.
    var answers: [MediaType] = [.json]
    var status = HTTPResponse.Status.ok
    /// The content of a successful answer.
    var content = Content.any
    /// Whether a resource supports the operation.
    var isOffered: @Sendable (ServedResource) -> Bool = { _ in true }
    let handle: Handler

    /// The precondition of a change.
    enum Condition: Sendable {
        case none
        /// `If-Match` is checked if present.
        case optional
        /// Without `If-Match` the answer is 428.
        case required
    }

    /// The body that the operation accepts.
    struct Body: Sendable {
        let mediaTypes: [String]
        /// The schema of the body; nil for the edits of a resource.
        var schema: JSONValue?
        /// The maximum length in bytes.
        static let bytesMax = 65_536
    }

    /// The content of an answer in the OpenAPI description.
    enum Content: Sendable {
        case any
        case schema(JSONValue)
        /// A row of the resource, an array of rows, or search results.
        case row, rows, found
    }

    /// The parameters of paths. A text longer than any storage key cannot belong to a row.
    static let pathParameters: [String: Parameter] = [
        "name": Parameter("name", .text(charactersMax: 120), "The name of a resource."),
        "key": Parameter(
            "key", .text(charactersMax: 500),
            "The handle of a row, or the values of its key separated by slashes if the resource has no handles."
        ),
        "field": Parameter("field", .text(charactersMax: 60), "The name of an editable field."),
        "sync": Parameter("sync", .integer(1...1_000_000_000), "The number of a sync."),
    ]
}

/// The path of a route below `/-`: `/resources/{name}/{key}`.
struct PathTemplate: Hashable, Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let text: String
    let segments: [Segment]

    init(_ text: String) {
        self.text = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
        }
    }

    /// Returns the values of the parameters, none of them empty; nil if the path does not match.
    func values(of path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal.utf8.elementsEqual(text.utf8) else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                values[name] = text
            }
        }
        return values
    }

    var parameterCount: Int { segments.count { if case .parameter = $0 { true } else { false } } }

    /// Whether paths of another template also match this one.
    func covers(_ other: PathTemplate) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments).allSatisfy { mine, others in
                if case .parameter = mine { true } else { mine == others }
            }
    }
}

extension PathTemplate: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}
