import PatchbayCore
import PatchbayDomain

/// A field that a draft declares, with the reason for its type.
struct DraftField {
    let column: RowSurvey.Column
    private(set) var type: ValueType
    private(set) var isLenient: Bool
    /// Why the type was chosen, if the sample allows several.
    private(set) var reason: String?
    /// The name as the grammar spells it.
    var name: String

    /// - Parameter isDescribed: whether a document describes the field, so that its values are invented.
    init(_ column: RowSurvey.Column, isDescribed: Bool = false) {
        self.column = column
        name = DraftWords.name(column.path.joined(separator: "-"))
        (type, isLenient, reason) = DraftField.type(of: column)
        if isDescribed, reason != nil { reason = DraftField.reason(ofDeclared: type) }
        // Many APIs return an empty text in place of an unknown time, which documents do not say.
        if isDescribed, type == .time { isLenient = true }
    }

    /// Why a document's field has its type, which must not state what the invented values contain.
    private static func reason(ofDeclared type: ValueType) -> String {
        switch type {
        case .json: "may have values of several types; it is kept as JSON"
        case .time: "is probably a number of seconds or milliseconds since 1970"
        default: "has no known type; \(type.rawValue) is a guess"
        }
    }

    /// The field as the key, where a text keeps numbers of any size; nil if it cannot be the key.
    var asKey: DraftField? {
        if [.integer, .text].contains(type), !isLenient { return self }
        guard type != .time, column.areIDs else { return nil }
        var key = self
        (key.type, key.isLenient) = (.text, false)
        key.reason =
            column.counts[.hugeNumber] == nil
            ? "contains numbers and texts; a key that is a text keeps both"
            : "contains numbers beyond 64 bits; a key that is a text keeps all digits"
        return key
    }

    /// The last member of its path; empty when the row itself is the value.
    var member: String { column.path.last ?? "" }

    /// The value of the line: `text profile/email`. Nil when a definition cannot express it.
    var value: String? {
        let path = JSONPath(members: column.path), word = type.rawValue + (isLenient ? "?" : "")
        let stored = name.withUnderscores
        let value = column.path == [stored] ? word : "\(word) \(path)"
        // Members with spaces, empty ones and those that look like other parts of the grammar have no path.
        guard let read = try? ResourceReader.field(stored, value, isDetail: false),
            read.origin == .path(path), DraftText.line("field", value) != nil
        else { return nil }
        return value
    }
}

// MARK: - Types

extension DraftField {
    /// Values of another type become null up to this share.
    private static let strayShare = 0.1

    private static func type(
        of column: RowSurvey.Column
    ) -> (ValueType, isLenient: Bool, reason: String?) {
        let counts = column.counts.filter { $0.key != .null }
        guard let most = counts.max(by: { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }) else {
            return (.text, true, "is null in all rows; the type is a guess")
        }
        if Set(counts.keys) == [.integer, .real] { return (.real, false, nil) }
        guard counts.count > 1 else { return type(of: most.key, column) }
        let all = counts.values.reduce(0, +), stray = all - most.value
        let words = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.plural)" }
            .joined(separator: ", ")
        guard Double(stray) <= strayShare * Double(all), most.key != .array, most.key != .object else {
            return (.json, false, "contains \(words); it is kept as JSON")
        }
        let (type, _, _) = type(of: most.key, column)
        return (type, true, "contains \(words); with ? the rarer ones become null")
    }

    private static func type(
        of kind: RowSurvey.Kind, _ column: RowSurvey.Column
    ) -> (ValueType, isLenient: Bool, reason: String?) {
        switch kind {
        case .boolean: return (.boolean, false, nil)
        case .array, .object, .null: return (.json, false, nil)
        case .hugeNumber: return (.json, false, "contains numbers beyond 64 bits; it is kept as JSON")
        case .integer, .real:
            if column.areNumbersSeconds, column.words != ["0"], column.isNamedLikeTime {
                return (.time, false, "contains numbers that are seconds or milliseconds since 1970")
            }
            return (kind == .integer ? .integer : .real, false, nil)
        case .text:
            guard column.areTextsTimes, column.words != [""] else { return (.text, false, nil) }
            let hasEmpty = column.words.contains("")
            return (
                .time, hasEmpty,
                hasEmpty ? "contains times and empty texts; with ? empty texts become null" : nil
            )
        }
    }
}

extension RowSurvey.Column {
    private static let timeWords: Set<String> = [
        "at", "created", "updated", "modified", "changed", "time", "timestamp", "date", "ts", "expires",
        "deleted",
        "started", "ended", "pushed", "published", "since", "until",
    ]

    var isNamedLikeTime: Bool {
        path.last.map { !Self.timeWords.isDisjoint(with: DraftWords.split($0)) } ?? false
    }

    /// Whether all values are texts and whole numbers.
    var areIDs: Bool { Set(counts.keys).isSubset(of: [.integer, .hugeNumber, .text]) }

    /// Whether each of the `rows` rows has its own value, as a key requires.
    func isKey(of rows: Int) -> Bool { isUnique && isSet(in: rows) }

    /// Whether each row has its own value in every answer, as a key requires.
    func isKeyInAnswers(of rows: Int) -> Bool { isUniqueInAnswers && isSet(in: rows) }

    private func isSet(in rows: Int) -> Bool {
        areIDs && counts.values.reduce(0, +) == rows
    }
}
