import PatchbayCore

/// The recently used answers in memory, by address.
///
/// There are two generations. Used answers move to the young one. When it is full, it becomes the old one, and the
/// previous old one is dropped. Each has half of the limit; an address that needs more is left to the storage.
struct RecentAnswers: Sendable {
    private let bytesMax: Int
    private var young: [UInt128: [StoredAnswer]] = [:]
    private var old: [UInt128: [StoredAnswer]] = [:]
    private var youngBytes = 0

    /// - Parameter bytesMax: the memory of both generations together, in bytes.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Returns all answers of an address; nil when they are not in memory.
    mutating func answers(at address: UInt128) -> [StoredAnswer]? {
        if let answers = young[address] { return answers }
        guard let answers = old.removeValue(forKey: address) else { return nil }
        set(answers, at: address)
        return answers
    }

    mutating func set(_ answers: [StoredAnswer], at address: UInt128) {
        old[address] = nil
        youngBytes -= young.removeValue(forKey: address).map(Self.bytes) ?? 0
        let bytes = Self.bytes(answers)
        guard bytes <= bytesMax / 2 else { return }
        if youngBytes + bytes > bytesMax / 2 {
            old = young
            young = [:]
            youngBytes = 0
        }
        young[address] = answers
        youngBytes += bytes
    }

    /// Removes the answers of some paths, with any query.
    mutating func remove(paths: Set<UInt128>) {
        let isMeant = { (answers: [StoredAnswer]) in
            answers.first.map { paths.contains($0.place.path) } ?? true
        }
        young = young.filter { !isMeant($0.value) }
        old = old.filter { !isMeant($0.value) }
        youngBytes = Self.bytes(young)
    }

    mutating func removeAll() { self = RecentAnswers(bytesMax: bytesMax) }

    /// The memory of the answers, in bytes.
    var bytes: Int { Self.bytes(young) + Self.bytes(old) }

    private static func bytes(_ generation: [UInt128: [StoredAnswer]]) -> Int {
        generation.values.reduce(0) { $0 + bytes($1) }
    }

    /// An address without answers also takes up some bytes in the dictionary, which may be half empty.
    private static func bytes(_ answers: [StoredAnswer]) -> Int {
        answers.reduce(128) { $0 + $1.memoryBytes }
    }
}
