/// What a source says beside the results of a search.
struct SearchVerdict: Sendable {
    /// Whether it said anything: an "unchanged" does not.
    var isAnswer = false
    var total: Int64?
    var isIncomplete = false
    var cap: Int64?
}
