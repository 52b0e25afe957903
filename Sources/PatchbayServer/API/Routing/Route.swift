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
    /// The combinations of parameters that form a stretch.
    var stretch: Stretch?
    /// Whether a resource supports the operation.
    var isOffered: @Sendable (ServedResource) -> Bool = { _ in true }
    let handle: Handler

    /// A group of parameters that belong together.
    enum Stretch: Sendable {
        /// A walk along an index, or a list of the source.
        case rows
        case syncs
        case searches
    }

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
}

extension Route {
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
