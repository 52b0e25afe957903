/// The optional features of a source. The conformance suite runs the checks that they require.
public struct SourceFeatures: OptionSet, Sendable {
    /// The features as bits.
    public let rawValue: Int

    /// Creates a set from bits; prefer the named features.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The list has an end that the test can walk to, within 1,000 pages.
    public static let wholeList = SourceFeatures(rawValue: 1 << 0)
    /// Any position can be requested, not only those that pages link to. A recording has only the latter.
    public static let anyPosition = SourceFeatures(rawValue: 1 << 1)
    /// Answers carry validators, and an unchanged resource is answered with "unchanged".
    public static let validators = SourceFeatures(rawValue: 1 << 2)
    /// Each listed row can be requested alone.
    public static let details = SourceFeatures(rawValue: 1 << 3)

    /// All features, those of a source that a test can request anything from.
    public static let all: SourceFeatures = [.wholeList, .anyPosition, .validators, .details]

    /// The names of the features, for messages.
    var words: String {
        let names: [(SourceFeatures, String)] = [
            (.wholeList, "a whole list"), (.anyPosition, "any position"), (.validators, "validators"),
            (.details, "details"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
