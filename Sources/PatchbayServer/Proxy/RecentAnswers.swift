import PatchbayCore

/// The recently used answers in memory, by place.
///
/// There are two generations. Used answers move to the young one. When it is full, it becomes the old one, and the
/// previous old one is dropped. Each has half of the limit; a place that needs more is left to the storage.
struct RecentAnswers: Sendable {
    private let bytesMax: Int
    private var young: [AnswerPlace: [StoredAnswer]] = [:]
    private var old: [AnswerPlace: [StoredAnswer]] = [:]
    private var youngBytes = 0

    /// - Parameter bytesMax: the memory of both generations together, in bytes.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Returns all answers of a place; nil when they are not in memory.
    mutating func answers(at place: AnswerPlace) -> [StoredAnswer]? {
        if let answers = young[place] { return answers }
        guard let answers = old.removeValue(forKey: place) else { return nil }
        set(answers, at: place)
        return answers
    }

    mutating func set(_ answers: [StoredAnswer], at place: AnswerPlace) {
        old[place] = nil
        youngBytes -= young.removeValue(forKey: place).map(Self.bytes) ?? 0
        let bytes = Self.bytes(answers)
        guard bytes <= bytesMax / 2 else { return }
        if youngBytes + bytes > bytesMax / 2 {
            old = young
            young = [:]
            youngBytes = 0
        }
        young[place] = answers
        youngBytes += bytes
    }

    /// Removes the answers of some paths, with any query.
    mutating func remove(paths: Set<UInt128>) {
        young = young.filter { !paths.contains($0.key.path) }
        old = old.filter { !paths.contains($0.key.path) }
        youngBytes = Self.bytes(young)
    }

    mutating func removeAll() { self = RecentAnswers(bytesMax: bytesMax) }

    /// The memory of the answers, in bytes.
    var bytes: Int { Self.bytes(young) + Self.bytes(old) }

    private static func bytes(_ generation: [AnswerPlace: [StoredAnswer]]) -> Int {
        generation.values.reduce(0) { $0 + bytes($1) }
    }

    /// A place without answers also takes up some bytes in the dictionary, which may be half empty.
    private static func bytes(_ answers: [StoredAnswer]) -> Int {
        answers.reduce(128) { $0 + $1.memoryBytes }
    }
}
