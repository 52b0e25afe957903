import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// An operation: where it is, what it takes, what it answers with, and what does it.
///
/// Routing, the checks of requests, `Allow` and the description of the API come from these values.
struct Route: Sendable {
    /// Does it; what it throws becomes a ``Problem``.
    typealias Handler = @Sendable (APIRequest, API) async throws -> ServerResponse

    let method: HTTPRequest.Method
    let path: PathTemplate
    /// One word in the description of the API: `listRows`.
    let operation: String
    let summary: String
    var parameters: [Parameter] = []
    /// The header fields that it needs or heeds, beside those of every request.
    var condition = Condition.none
    var body: Body?
    /// The forms that a successful answer may take; none for an answer without content.
    var answers: [MediaType] = [.json]
    var status = HTTPResponse.Status.ok
    /// What a successful answer contains.
    var content = Content.any
    /// What the parameters depend on that are part of a stretch.
    var stretch: Stretch?
    /// Whether a resource has the operation.
    var isOffered: @Sendable (ServedResource) -> Bool = { _ in true }
    let handle: Handler

    /// A choice of parameters that belong together.
    enum Stretch: Sendable {
        /// A walk along an index, or a list of the source.
        case rows
        case syncs
        case searches
    }

    /// What a change says about the state that it starts from.
    enum Condition: Sendable {
        case none
        /// `If-Match` counts when it is there.
        case optional
        /// Without `If-Match` the answer is 428.
        case required
    }

    /// A body that the operation takes.
    struct Body: Sendable {
        let mediaTypes: [String]
        /// The most bytes.
        var bytesMax = 65_536
    }

    /// What an answer contains, for the description of the API.
    enum Content: Sendable {
        case any
        case schema(JSONValue)
        /// A row of the resource, an array of them, or what a search found.
        case row, rows, found
    }
}

extension Route {
    /// A text that is longer than any key of a storage is no row's.
    static let pathParameters: [String: Parameter] = [
        "name": Parameter("name", .text(charactersMax: 120), "The name of a resource."),
        "key": Parameter(
            "key", .text(charactersMax: 500),
            "The handle of a row; of a resource without handles, the values of its key with slashes between them."
        ),
        "field": Parameter("field", .text(charactersMax: 60), "The name of an editable field."),
        "sync": Parameter("sync", .integer(1 ... .max), "The number of a sync."),
    ]
}
