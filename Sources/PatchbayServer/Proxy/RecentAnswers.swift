import PatchbayCore

/// The answers that were used last, in memory, by their addresses.
///
/// There are two generations. What is used moves into the young one; when that is full it becomes the old one, and what
/// nobody used since the last time goes.
struct RecentAnswers: Sendable {
    private let bytesMax: Int
    private var young: [UInt128: [StoredAnswer]] = [:]
    private var old: [UInt128: [StoredAnswer]] = [:]
    private var youngBytes = 0

    /// - Parameter bytesMax: what both generations hold together.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// All answers of an address; nil when they are not known here.
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

    /// Forgets the answers of some paths, whatever their queries.
    mutating func remove(paths: Set<UInt128>) {
        let isMeant = { (answers: [StoredAnswer]) in
            answers.first.map { paths.contains($0.place.path) } ?? true
        }
        young = young.filter { !isMeant($0.value) }
        old = old.filter { !isMeant($0.value) }
        youngBytes = young.values.reduce(0) { $0 + Self.bytes($1) }
    }

    mutating func removeAll() { self = RecentAnswers(bytesMax: bytesMax) }

    /// An address without answers takes up a little, too.
    private static func bytes(_ answers: [StoredAnswer]?) -> Int {
        answers.map { $0.reduce(64) { $0 + $1.byteCount } } ?? 0
    }
}
