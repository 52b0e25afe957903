public import PatchbayCore

/// One thing that every storage promises, and the check that finds out.
public struct Promise: Sendable, CustomStringConvertible {
    /// What it is about: `order`, `queries`, `migration`.
    public let topic: String
    /// The promise as a sentence.
    public let sentence: String
    /// The features without which a storage does not give this promise.
    public let needs: StorageFeatures
    /// The features with which a storage does not give this promise.
    public let excludedBy: StorageFeatures
    let check: @Sendable (Workbench) async throws -> Void

    init(
        _ topic: String, _ sentence: String, needs: StorageFeatures = [], excludedBy: StorageFeatures = [],
        _ check: @escaping @Sendable (Workbench) async throws -> Void
    ) {
        self.topic = topic
        self.sentence = sentence
        self.needs = needs
        self.excludedBy = excludedBy
        self.check = check
    }

    public var description: String { "\(topic): \(sentence)" }

    /// Why a storage with these features does not give the promise; nil when it does.
    public func reasonToSkip(for features: StorageFeatures) -> String? {
        let missing = needs.subtracting(features)
        if !missing.isEmpty { return "the storage is not \(missing.words)" }
        let excluding = excludedBy.intersection(features)
        return excluding.isEmpty ? nil : "the storage is \(excluding.words)"
    }
}

extension StorageFeatures {
    /// The features as words, for messages.
    fileprivate var words: String {
        let names: [(StorageFeatures, String)] = [
            (.durable, "durable"), (.sharedBetweenProcesses, "shared between processes"),
            (.readsDuringWrite, "readable during a write"), (.backup, "able to back itself up"),
            (.sharedBetweenMachines, "shared between machines"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
