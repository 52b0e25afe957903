import PatchbayDomain

/// One thing that every source of users promises, and the check that finds out.
public struct SourcePromise: Sendable, CustomStringConvertible {
    /// What it is about: `list`, `details`, `errors`.
    public let topic: String
    /// The promise as a sentence.
    public let sentence: String
    /// The features without which a source does not give this promise.
    public let needs: SourceFeatures
    let check: @Sendable (SourceBench) async throws -> Void

    init(
        _ topic: String, _ sentence: String, needs: SourceFeatures = [],
        _ check: @escaping @Sendable (SourceBench) async throws -> Void
    ) {
        self.topic = topic
        self.sentence = sentence
        self.needs = needs
        self.check = check
    }

    public var description: String { "\(topic): \(sentence)" }

    /// Why a source with these features does not give the promise; nil when it does.
    public func reasonToSkip(for features: SourceFeatures) -> String? {
        let missing = needs.subtracting(features)
        return missing.isEmpty ? nil : "the source does not offer \(missing.words)"
    }
}
