package import PatchbayCore

/// A promise that every storage makes, and its check.
public struct Promise: Sendable, CustomStringConvertible {
    /// The subject: `order`, `queries`, `migration`.
    public let topic: String
    /// The promise as a sentence.
    public let sentence: String
    /// The features without which a storage does not make this promise.
    package let needs: StorageFeatures
    /// The features with which a storage does not make this promise.
    package let excludedBy: StorageFeatures
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

    /// A promise whose check opens a new storage once.
    init(
        _ topic: String, _ sentence: String, needs: StorageFeatures = [], excludedBy: StorageFeatures = [],
        _ check: @escaping @Sendable (any Storage) async throws -> Void
    ) {
        self.init(topic, sentence, needs: needs, excludedBy: excludedBy) { (workbench: Workbench) in
            try await workbench.open(body: check)
        }
    }

    /// The topic and the sentence on one line.
    public var description: String { "\(topic): \(sentence)" }

    /// Returns why a storage with these features does not make the promise, or nil when it does.
    package func reasonToSkip(for features: StorageFeatures) -> String? {
        let missing = needs.subtracting(features)
        if !missing.isEmpty { return "the storage is not \(missing.words)" }
        let excluding = excludedBy.intersection(features)
        return excluding.isEmpty ? nil : "the storage is \(excluding.words)"
    }
}

extension StorageFeatures {
    /// The names of the features, for messages.
    fileprivate var words: String {
        let names: [(StorageFeatures, String)] = [
            (.durable, "durable"), (.sharedBetweenProcesses, "shared between processes"),
            (.readsDuringWrite, "readable during a write"), (.backup, "able to back itself up"),
            (.sharedBetweenMachines, "shared between machines"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
