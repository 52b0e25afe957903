import PatchbayCore

/// The recently used answers in memory, by address.
///
/// There are two generations. Used answers move to the young one. When it is full, it becomes the old one, and the
/// previous old one is dropped.
struct RecentAnswers: Sendable {
    private let bytesMax: Int
    private var young: [UInt128: [StoredAnswer]] = [:]
    private var old: [UInt128: [StoredAnswer]] = [:]
    private var youngBytes = 0

    /// - Parameter bytesMax: the maximum size of both generations together, in bytes.
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
        youngBytes -= Self.bytes(young.updateValue(answers, forKey: address))
        youngBytes += Self.bytes(answers)
        guard youngBytes > bytesMax / 2 else { return }
        old = young
        young = [:]
        youngBytes = 0
    }

    /// Removes the answers of some paths, with any query.
    mutating func remove(paths: Set<UInt128>) {
        let isMeant = { (answers: [StoredAnswer]) in
            answers.first.map { paths.contains($0.place.path) } ?? true
        }
        young = young.filter { !isMeant($0.value) }
        old = old.filter { !isMeant($0.value) }
        youngBytes = young.values.reduce(0) { $0 + Self.bytes($1) }
    }

    mutating func removeAll() { self = RecentAnswers(bytesMax: bytesMax) }

    /// An address without answers also takes up some bytes.
    private static func bytes(_ answers: [StoredAnswer]?) -> Int {
        answers.map { $0.reduce(64) { $0 + $1.byteCount } } ?? 0
    }
}
