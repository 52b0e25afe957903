import HTTPTypes
import PatchbayCore

/// An error that is the end of a list.
enum EndOfList {
    /// The repository has no commits (semantics 33).
    case emptyRepository
    /// The search has more results than GitHub gives for one query (semantics 25).
    case cap(Int64)

    /// Nil when the answer says nothing about the end of a list.
    init?(_ answer: Answer) {
        switch answer.status {
        case 409 where ErrorBody(answer.response.body).says("repository is empty"): self = .emptyRepository
        case 422 where ErrorBody(answer.response.body).says("only the first 1000 search results"):
            self = .cap(GitHubSearch.resultsMax)
        default: return nil
        }
    }

    var cap: Int64? { if case .cap(let cap) = self { cap } else { nil } }
}
