import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The contents of rows at each place.
struct RowSurvey {
    /// The values found at a place in the rows.
    struct Column {
        let path: [String]
        /// The number of rows with a value there, including null.
        var present = 0
        var counts: [Kind: Int] = [:]
        /// The distinct texts and numbers there.
        var words: Set<String> = []
        /// Whether each of them occurred once.
        var isUnique = true
        /// Whether each of them occurred once per answer. A row that occurs in several answers repeats its values.
        var isUniqueInAnswers = true
        fileprivate var wordsOfAnswer: Set<String> = []
        var areTextsTimes = true
        var areTextsAddresses = true
        var areNumbersSeconds = true
    }

    enum Kind: String, Hashable {
        case null, boolean, integer, real, text, array, object
        /// A whole number beyond 64 bits, or a number beyond the range of a `Double`.
        case hugeNumber

        /// The plural in comments.
        var plural: String {
            switch self {
            case .null: "nulls"
            case .hugeNumber: "numbers beyond 64 bits"
            case .real: "fractions"
            default: rawValue + "s"
            }
        }
    }

    /// The maximum depth of fields: `commit/author/name`.
    static let depthMax = 3
    private static let columnsMax = 1_000
    private static let rowsMax = 10_000

    private(set) var rowCount = 0
    /// In the order of their first occurrence.
    private(set) var columns: [Column] = []
    /// The number of places beyond ``columns``.
    private(set) var unseen = 0
    private var places: [[String]: Int] = [:]

    init(_ answers: [[JSONValue]]) {
        for rows in answers where rowCount < Self.rowsMax {
            for place in columns.indices { columns[place].wordsOfAnswer = [] }
            for row in rows { add(row) }
        }
    }

    subscript(_ path: [String]) -> Column? { places[path].map { columns[$0] } }

    private mutating func add(_ row: JSONValue) {
        rowCount += 1
        if row.isObject { add(row, at: []) } else { note(row, at: []) }
    }

    private mutating func add(_ object: JSONValue, at path: [String]) {
        for (name, value) in object.members {
            let path = path + [name]
            note(value, at: path)
            if value.isObject, path.count < Self.depthMax { add(value, at: path) }
        }
    }

    private mutating func note(_ value: JSONValue, at path: [String]) {
        let place: Int
        if let known = places[path] {
            place = known
        } else {
            guard columns.count < Self.columnsMax else {
                unseen += 1
                return
            }
            place = columns.count
            places[path] = place
            columns.append(Column(path: path))
        }
        columns[place].note(value)
    }

    /// The columns that become fields: scalars and arrays as they are, objects by their members, unless there are too
    /// many members or the value is not always an object.
    var leaves: [Column] {
        columns.filter { column in
            !hasOpenMembers(column)
                && column.path.indices.dropFirst().allSatisfy { end in
                    places[Array(column.path[..<end])].map { hasOpenMembers(columns[$0]) } ?? true
                }
        }
    }

    private static let membersMax = 40

    /// Whether an object is split into its members.
    private func hasOpenMembers(_ column: Column) -> Bool {
        guard column.counts[.object] != nil, Set(column.counts.keys).isSubset(of: [.object, .null]) else {
            return false
        }
        let depth = column.path.count
        let members = columns.count { $0.path.count == depth + 1 && $0.path.starts(with: column.path) }
        return (1...Self.membersMax).contains(members)
    }
}

extension RowSurvey.Column {
    fileprivate mutating func note(_ value: JSONValue) {
        present += 1
        counts[Self.kind(value), default: 0] += 1
        switch value {
        case .text(let text):
            areTextsTimes = areTextsTimes && (text.isEmpty || Timestamp(text) != nil)
            areTextsAddresses = areTextsAddresses && (text.hasPrefix("https://") || text.hasPrefix("http://"))
            note(word: text)
        case .number(let text):
            let number = Double(text) ?? 0
            areNumbersSeconds = areNumbersSeconds && (Self.isEpoch(number) || Self.isEpoch(number / 1_000))
            note(word: text)
        default: break
        }
    }

    private mutating func note(word: String) {
        isUnique = words.insert(word).inserted && isUnique && !word.isEmpty
        isUniqueInAnswers = wordsOfAnswer.insert(word).inserted && isUniqueInAnswers && !word.isEmpty
    }

    /// Whether a number is a time in seconds since 1970 between 2001 and 2100; 0 stands for no time.
    private static func isEpoch(_ seconds: Double) -> Bool {
        seconds == 0 || (978_307_200...4_102_444_800).contains(seconds)
    }

    private static func kind(_ value: JSONValue) -> RowSurvey.Kind {
        switch value {
        case .null: .null
        case .bool: .boolean
        case .text: .text
        case .array: .array
        case .object: .object
        case .number(let text):
            if Int64(text) != nil {
                .integer
            } else if text.contains(where: { ".eE".contains($0) }), Double(text)?.isFinite == true {
                .real
            } else {
                .hugeNumber
            }
        }
    }
}
