import PatchbayCore

/// The words of a statement, to estimate its size before SQLite prepares it.
///
/// SQLite replaces each use of a common table (`WITH name AS (...)`) by its definition while it prepares a statement,
/// without calling a handler that could stop it. Thirty tables, each of which names the one before twice, would become
/// 2^30 selects. This estimate finds such statements; it decides nothing about their rights, which is the authorizer's
/// task.
struct StatementWords {
    private enum Word: Equatable {
        /// A name, a keyword or a quoted text, in lower case.
        case name(String)
        case sign(UInt8)
    }

    private var words: [Word] = []
    /// The definitions of common tables: the place of the name, and the places of the words between the parentheses.
    private var definitions: [String: [(name: Int, body: Range<Int>)]] = [:]

    init(_ sql: String) {
        words = Self.words(Array(sql.utf8))
        let ends = parentheses()
        for place in words.indices {
            guard case .name(let name) = words[place], let start = bodyStart(after: place, ends),
                let end = ends[start]
            else { continue }
            definitions[name, default: []].append((place, (start + 1)..<end))
        }
    }

    /// The names in the statement, each once.
    var names: Set<String> {
        Set(words.compactMap { if case .name(let name) = $0 { name } else { nil } })
    }

    /// Whether the statement is `SELECT count(*) FROM name`, whatever the name is.
    var isOnlyCount: Bool {
        let count: [Word] = [
            .name("select"), .name("count"), .sign(UInt8(ascii: "(")), .sign(UInt8(ascii: "*")),
            .sign(UInt8(ascii: ")")), .name("from"),
        ]
        let rest = words.dropFirst(count.count)
        guard words.starts(with: count), case .name? = rest.first else { return false }
        return rest.dropFirst().allSatisfy { $0 == .sign(UInt8(ascii: ";")) }
    }

    /// The number of selects that SQLite makes of the statement, at most about `limit`.
    func selects(limit: Int) -> Int {
        var known: [String: Int] = [:], running: Set<String> = []
        func count(_ range: Range<Int>) -> Int {
            var total = 1
            for place in range where total <= limit {
                guard case .name(let name) = words[place], let all = definitions[name],
                    !all.contains(where: { $0.name == place }),
                    place + 1 == words.count || words[place + 1] != .sign(UInt8(ascii: "."))
                else { continue }
                total += uses(name, all)
            }
            return total
        }
        func uses(_ name: String, _ all: [(name: Int, body: Range<Int>)]) -> Int {
            if let count = known[name] { return count }
            // A recursive table is not replaced in its own definition.
            guard running.insert(name).inserted else { return 1 }
            let total = all.reduce(0) { min($0 + count($1.body), limit + 1) }
            running.remove(name)
            known[name] = total
            return total
        }
        return count(words.indices)
    }

    /// The place of the parenthesis in `name [(columns)] AS [NOT] [MATERIALIZED] (`; nil for other words.
    private func bodyStart(after place: Int, _ ends: [Int: Int]) -> Int? {
        var next = place + 1
        if let end = ends[next] { next = end + 1 }
        guard next < words.count, words[next] == .name("as") else { return nil }
        next += 1
        while next < words.count, words[next] == .name("not") || words[next] == .name("materialized") {
            next += 1
        }
        return ends[next] == nil ? nil : next
    }

    /// The places of opening parentheses with those of the closing ones.
    private func parentheses() -> [Int: Int] {
        var open: [Int] = [], ends: [Int: Int] = [:]
        for (place, word) in words.enumerated() {
            if word == .sign(UInt8(ascii: "(")) { open.append(place) }
            if word == .sign(UInt8(ascii: ")")), let start = open.popLast() { ends[start] = place }
        }
        return ends
    }

    private static func words(_ bytes: [UInt8]) -> [Word] {
        var words: [Word] = [], place = 0
        func isNext(_ text: StaticString) -> Bool {
            unsafe bytes[place...].starts(
                with: UnsafeBufferPointer(
                    start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        func skip(to end: [UInt8]) {
            while place < bytes.count, !bytes[place...].starts(with: end) { place += 1 }
            place = min(bytes.count, place + end.count)
        }
        while place < bytes.count {
            let byte = bytes[place]
            if isNext("--") {
                skip(to: [UInt8(ascii: "\n")])
            } else if isNext("/*") {
                place += 2
                skip(to: Array("*/".utf8))
            } else if let end = quotes[byte] {
                let start = place + 1
                place += 1
                skip(to: [end])
                let text = bytes[start..<max(start, place - 1)].map(\.caseFolded)
                words.append(.name(String(decoding: text, as: UTF8.self)))
            } else if isOfName(byte) {
                let start = place
                while place < bytes.count, isOfName(bytes[place]) { place += 1 }
                words.append(.name(String(decoding: bytes[start..<place].map(\.caseFolded), as: UTF8.self)))
            } else {
                if byte > 0x20 { words.append(.sign(byte)) }
                place += 1
            }
        }
        return words
    }

    /// The quotation marks, with those that end the quotation.
    private static let quotes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "'"): UInt8(ascii: "'"),
        UInt8(ascii: "`"): UInt8(ascii: "`"), UInt8(ascii: "["): UInt8(ascii: "]"),
    ]

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}
