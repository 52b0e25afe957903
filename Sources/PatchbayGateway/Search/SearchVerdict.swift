/// What a source reports besides the results of a search.
struct SearchVerdict: Sendable {
    /// Whether it reported anything; an "unchanged" does not.
    var isAnswer = false
    var total: Int64?
    var isIncomplete = false
    var cap: Int64?
}
