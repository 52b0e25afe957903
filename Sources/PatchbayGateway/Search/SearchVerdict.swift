/// What a source reports besides the results of a search.
struct SearchVerdict: Sendable {
    /// Whether the source reported anything; it does not when the answer is "unchanged".
    var isAnswer = false
    var total: Int64?
    var isIncomplete = false
    var cap: Int64?
}
