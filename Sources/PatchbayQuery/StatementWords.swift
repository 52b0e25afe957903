import PatchbayCore

/// The words of a statement, to estimate its size before SQLite prepares it.
///
/// SQLite replaces each use of a common table (`WITH name AS (...)`) by its definition while it prepares a statement,
/// without calling a handler that could stop it. Thirty tables, each of which names the one before twice, would become
/// 2^30 selects. This estimate finds such statements. ``StatementTraits`` are found in the words as well.
struct StatementWords {
    private enum Word: Equatable {
        /// A name, a keyword or a quoted text, in lower case.
        case name(String)
        case sign(UInt8)
    }

    private var words: [Word] = []
    /// The definitions of common tables: the place of the name, and the places of the words between the parentheses.
    private var definitions: [String: [(name: Int, body: Range<Int>)]] = [:]
    /// The ends of the bodies, by the places of the names.
    private var bodyEnds: [Int: Int] = [:]

    init(_ sql: String) {
        words = Self.words(Array(sql.utf8))
        let ends = parentheses()
        for place in words.indices {
            guard case .name(let name) = words[place], let start = bodyStart(after: place, ends),
                let end = ends[start]
            else { continue }
            definitions[name, default: []].append((place, (start + 1)..<end))
            bodyEnds[place] = end
        }
    }

    /// The names in the statement, each once.
    var names: Set<String> {
        Set(words.compactMap { if case .name(let name) = $0 { name } else { nil } })
    }

    /// Whether one of some names is in the statement.
    func has(_ names: Set<String>) -> Bool {
        words.contains { if case .name(let name) = $0 { names.contains(name) } else { false } }
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

    /// The size of a statement whose common tables were replaced.
    struct Size {
        /// The number of selects, at most about the given limit.
        var selects = 1
        /// How many common tables are within each other, at most about the given limit.
        var depth = 0
    }

    /// The size that SQLite gives to the statement. More is not counted after a limit.
    func size(selectsMax: Int, depthMax: Int) -> Size {
        var known: [String: Size] = [:], running: Set<String> = []
        func size(_ range: Range<Int>) -> Size {
            var total = Size(), place = range.lowerBound
            while place < range.upperBound, total.selects <= selectsMax, total.depth <= depthMax {
                defer { place += 1 }
                // A definition counts where its name is used.
                if let end = bodyEnds[place] {
                    place = end
                    continue
                }
                guard case .name(let name) = words[place], let all = definitions[name],
                    place + 1 == words.count || words[place + 1] != .sign(UInt8(ascii: "."))
                else { continue }
                let used = use(name, all)
                total.selects += used.selects
                total.depth = max(total.depth, used.depth)
            }
            return total
        }
        func use(_ name: String, _ all: [(name: Int, body: Range<Int>)]) -> Size {
            if let size = known[name] { return size }
            // The names that are running are within each other, so this bounds the recursion.
            if running.count > depthMax { return Size(selects: 1, depth: depthMax) }
            // A recursive table is not replaced in its own definition.
            guard running.insert(name).inserted else { return Size() }
            var total = Size(selects: 0)
            for definition in all where total.selects <= selectsMax {
                let body = size(definition.body)
                total.selects = min(total.selects + body.selects, selectsMax + 1)
                total.depth = max(total.depth, body.depth + 1)
            }
            running.remove(name)
            known[name] = total
            return total
        }
        return size(words.indices)
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
            if bytes[place...].starts(with: Self.byteOrderMark) {
                // A blank for SQLite at the beginning of a word, part of a name otherwise.
                place += 3
            } else if isNext("--") {
                skip(to: [UInt8(ascii: "\n")])
            } else if isNext("/*") {
                place += 2
                skip(to: Array("*/".utf8))
            } else if signsOfParameters.contains(byte) {
                place += 1
                while place < bytes.count, isOfName(bytes[place]) || isNext("::") {
                    place += isNext("::") ? 2 : 1
                }
                // The name of a parameter may end in parentheses, which contain anything but white space.
                if place < bytes.count, bytes[place] == UInt8(ascii: "(") {
                    while place < bytes.count, bytes[place] > 0x20, bytes[place] != UInt8(ascii: ")") {
                        place += 1
                    }
                    place += 1
                }
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

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let signsOfParameters = Array("$@:#".utf8)

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "_$".utf8.contains(byte) || byte >= 0x80
    }
}

/// What plans need to know of a statement, but SQLite does not report.
struct StatementTraits {
    /// Whether a join keeps rows that have no partner. SQLite 3.40 then reports conditions of its ON about rows that
    /// are kept, such as LIKE, as if they were of WHERE.
    var keepsRows = false
    /// Whether a join keeps rows of its right side.
    var keepsRightRows = false
    /// Whether values that are not in the statement are parameters, which have no type of their own.
    var hasOnlyParameters = false
    /// Whether several columns are compared with those of a select: `(a, b) IN (SELECT ...)`.
    var hasListsOfRows = false
    /// The names of tables if columns of some may be used without the authorizer being asked: those of USING.
    var joinedNames: [String] = []
}

extension StatementWords {
    var traits: StatementTraits {
        StatementTraits(
            keepsRows: has(["left", "right", "full"]), keepsRightRows: has(["right"]),
            hasOnlyParameters: hasOneTable && !has(["cast"]), hasListsOfRows: hasListsOfRows,
            joinedNames: has(["using", "natural"]) ? joinedNames : [])
    }

    /// Whether the statement is a select of one table, without another select in it.
    private var hasOneTable: Bool {
        let froms = words.indices.filter { words[$0] == .name("from") }
        guard froms.count == 1, words.count(where: { $0 == .name("select") }) == 1, !has(["join"]) else {
            return false
        }
        let ends: Set<String> = ["where", "group", "having", "window", "order", "limit"]
        let tables = words[froms[0]...].prefix {
            if case .name(let name) = $0 { !ends.contains(name) } else { true }
        }
        return !tables.contains(.sign(UInt8(ascii: ",")))
    }

    private var hasListsOfRows: Bool {
        var commas: [Bool] = []
        for (place, word) in words.enumerated() {
            switch word {
            case .sign(UInt8(ascii: "(")): commas.append(false)
            case .sign(UInt8(ascii: ",")): if !commas.isEmpty { commas[commas.count - 1] = true }
            case .sign(UInt8(ascii: ")")):
                if commas.popLast() == true, place + 1 < words.count, words[place + 1] == .name("in") {
                    return true
                }
            default: break
            }
        }
        return false
    }

    /// The names that follow FROM and JOIN.
    private var joinedNames: [String] {
        words.indices.filter { words[$0] == .name("from") || words[$0] == .name("join") }.compactMap {
            place in
            var rest = words[(place + 1)...].drop { $0 == .sign(UInt8(ascii: "(")) }
            // The name of a database may come first.
            if rest.dropFirst().first == .sign(UInt8(ascii: ".")) { rest = rest.dropFirst(2) }
            if case .name(let name)? = rest.first { return name }
            return nil
        }
    }
}
