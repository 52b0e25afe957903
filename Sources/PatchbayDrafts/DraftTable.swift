import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The key, the handle, the titles and the fields that rows suggest.
struct DraftTable {
    let survey: RowSurvey
    /// The answers of rows' own addresses; nil when there are none.
    let details: RowSurvey?
    private(set) var fields: [DraftField] = []
    private(set) var detailFields: [DraftField] = []
    /// The paths of the key's fields; empty when nothing identifies a row.
    private(set) var key: [[String]] = []
    private(set) var otherKeys: [[String]] = []
    /// Whether the key is a guess from its name, or from too few rows.
    private(set) var isKeyGuess = false
    /// Whether several answers contain the same keys.
    private(set) var isKeyRepeated = false
    private(set) var handle: [String]?
    private(set) var titles: [[String]] = []
    /// Places without a field, because a resource has room for no more.
    private(set) var leftOut: [[String]] = []
    /// Places that a definition cannot name.
    private(set) var unspeakable: [[String]] = []
    private var names = DraftNames()
    private var candidates: [DraftField]
    /// Whether a document describes the rows, so that only names show what identifies one.
    private let isDescribed: Bool
    private let keyVariable: String?
    /// What a document says about the presence of members.
    private let presence: OpenAPIValues.Presence
    /// The variables before the last part of a document's path, whose values all rows of an answer have.
    private let parentVariables: Set<String>

    init(_ group: DraftGroup, noun: String) {
        survey = RowSurvey(group.answers)
        details = group.details.isEmpty ? nil : RowSurvey(group.details.map { [$0] })
        isDescribed = group.isDescribed
        keyVariable = group.keyVariable
        presence = group.samples[0].presence
        parentVariables = Set(group.parts.dropLast().compactMap(\.name).map(DraftWords.folded))
        let found = survey.leaves.map { [isDescribed] in DraftField($0, isDescribed: isDescribed) }
        candidates = found.filter { $0.value != nil }
        unspeakable = found.filter { $0.value == nil }.map(\.column.path)
        chooseKey(noun)
        chooseHandle()
    }

    /// A name that no field has yet.
    mutating func takeName(_ wanted: String, _ type: ValueType) -> String { names.take(wanted, type) }

    /// The texts and numbers at a place, in lists and in the answers of rows' own addresses.
    func words(at path: [String]) -> Set<String> {
        (survey[path]?.words ?? []).union(details?[path]?.words ?? [])
    }

    /// The names of the fields with JSON by the members of the row that they are.
    var jsonMembers: [String: String] {
        let found = fields.filter { $0.type == .json && $0.column.path.count == 1 }
        return Dictionary(found.map { ($0.member, $0.name) }) { first, _ in first }
    }

    func field(at path: [String]) -> DraftField? {
        (fields + detailFields).first { $0.column.path == path }
    }
}

// MARK: - Key, handle and titles

extension DraftTable {
    /// The whole names of members that usually identify a row, the likeliest first.
    private static let keyNames = [
        "id", "uuid", "guid", "uid", "gid", "sid", "key", "identifier", "sha", "slug", "code", "login",
    ]
    private static let handleNames = [
        "login", "username", "slug", "handle", "screenname", "acct", "fullname", "pathwithnamespace", "name",
        "code",
    ]
    private static let titleNames = [
        "name", "title", "fullname", "displayname", "realname", "label", "subject", "login", "username",
        "headline",
    ]

    /// The rank of the last name that is only used for ids: `sid`. The others may be numbers or words.
    private static let ownRankMax = 10
    /// The rank of an id that may be that of another object.
    private static let otherRank = 30

    /// A lower rank is more likely; nil for a name that does not suggest a key.
    private static func rank(_ path: [String], noun: String) -> Int? {
        let words = DraftWords.split(path.last ?? "value"), name = words.joined()
        if path.count > 1 { return nil }
        if path.isEmpty { return 0 }
        if let place = keyNames.firstIndex(of: name) { return place * 2 }
        guard words.count > 1, ["id", "uuid", "key"].contains(words.last) else { return nil }
        return isOwnID(words, noun: noun) ? 1 : otherRank
    }

    /// Whether the words of a member name the row's own id: that of gift cards may be `card_id`.
    static func isOwnID(_ words: [String], noun: String) -> Bool {
        words.count > 1 && words.last == "id" && DraftWords.folded(noun).hasSuffix(words.dropLast().joined())
    }

    /// Values of so few rows are distinct by chance.
    private static let rowsOfGuessMax = 2

    private mutating func chooseKey(_ noun: String) {
        let usable = candidates.compactMap(\.asKey)
        func rank(_ field: DraftField) -> Int {
            let path = field.column.path
            let rank = Self.rank(path, noun: noun) ?? 40 + path.count * 100 + Self.guessRank(path)
            return isNamedByVariable(field.column.path) ? min(rank, 1) : rank
        }
        func ranked(_ fields: [DraftField]) -> [[String]] {
            fields.ordered { [rank($0)] }.map(\.column.path)
        }
        let unique = ranked(
            usable.filter {
                $0.column.isKey(of: survey.rowCount) && (!isDescribed || isNamedLikeKey($0.column.path, noun))
            })
        // A row in two answers has its key in both. A value that is unique only within each answer needs a key's name.
        let named = ranked(
            usable.filter {
                $0.column.isKeyInAnswers(of: survey.rowCount) && isNamedLikeKey($0.column.path, noun)
            })
        isKeyRepeated = !(unique.first.map { isNamedLikeKey($0, noun) } ?? false) && !named.isEmpty
        let all = isKeyRepeated ? named : unique
        let guess = isDescribed ? guessedKey(candidates, noun: noun, parentVariables: parentVariables) : nil
        key = (all.first ?? guess).map { [$0] } ?? []
        let hasFewRows = !isDescribed && survey.rowCount <= Self.rowsOfGuessMax
        isKeyGuess = all.first.map { hasFewRows && !isNamedLikeKey($0, noun) } ?? true
        for place in candidates.indices where key.contains(candidates[place].column.path) {
            candidates[place] = candidates[place].asKey ?? candidates[place]
        }
        otherKeys = Array(all.dropFirst())
    }

    /// Whether the key is named as an id of the row itself: `id`, `uuid`, or `card_id` of gift cards.
    func isKeyOwnID(_ noun: String) -> Bool {
        key.first.flatMap { Self.rank($0, noun: noun) }.map { $0 <= Self.ownRankMax } ?? false
    }

    /// Whether the name of the key suggests a key.
    func isKeyNamed(_ noun: String) -> Bool { key.first.map { isNamedLikeKey($0, noun) } ?? false }

    func isNamedLikeKey(_ path: [String], _ noun: String) -> Bool {
        if isNamedByVariable(path) { return true }
        guard let rank = Self.rank(path, noun: noun) else { return false }
        // Without values, an id with another name is the key only if the row begins with it and it names the row.
        return !isDescribed || rank < Self.otherRank
            || path == survey.columns.first?.path && Self.isNamed(path, after: noun)
                && !parentVariables.contains(DraftWords.folded(path[0]))
    }

    private func isNamedByVariable(_ path: [String]) -> Bool {
        path.count == 1 && keyVariable.map { Self.isNamed(path[0], as: $0) } ?? false
    }

    /// Whether a variable of an address, such as `{pet_id}`, has the name of a member: `pet_id` or `id`.
    static func isNamed(_ member: String, as variable: String) -> Bool {
        let words = DraftWords.split(variable), name = DraftWords.folded(member)
        return !name.isEmpty && (name == words.last || names(of: variable).contains(name))
    }

    /// The names of members that a variable may have: `petid`, and `petid` or `petcode` for `{petIdOrCode}`.
    private static func names(of variable: String) -> [String] {
        let words = DraftWords.split(variable)
        guard let place = words.firstIndex(of: "or"), place > 0, place < words.count - 1 else {
            return [words.joined()]
        }
        let first = words[..<place], second = words[(place + 1)...]
        return [first.joined(), (first.dropLast() + second).joined()]
    }

    /// The place of the value that a variable of an address takes.
    func place(of variable: String) -> [String]? {
        let words = DraftWords.split(variable)
        func member(_ name: String?) -> [String]? {
            candidates.first { field in
                field.column.path.count == 1 && DraftWords.folded(field.member) == name
                    && [.integer, .text].contains(field.type) && !field.isLenient
            }?.column.path
        }
        let own = key.count == 1 ? key.first : nil, isID = words.last?.hasSuffix("id") ?? false
        let named = Self.names(of: variable).lazy.compactMap { member($0) }.first
        return named ?? (isID ? own : nil) ?? member(words.last) ?? handle ?? own
    }

    private mutating func chooseHandle() {
        let texts = candidates.filter { $0.type == .text && !$0.isLenient && $0.column.path.count == 1 }
        func named(_ names: [String], _ fields: [DraftField]) -> [[String]] {
            names.flatMap { name in
                fields.filter { DraftWords.folded($0.member) == name }.map(\.column.path)
            }
        }
        // Names of people and things contain spaces; they are not used to refer to one on the command line.
        // A row without a handle would end the list, so that a document has to promise one.
        let unique = texts.filter { text in
            (!isDescribed || isAssured(text.member)) && text.column.isKeyInAnswers(of: survey.rowCount)
                && text.column.words.allSatisfy { !$0.contains(where: \.isWhitespace) }
        }
        // An example in a document may have a single row.
        let names =
            isDescribed
            ? Self.handleNames.filter { !$0.hasSuffix("name") || $0 == "username" } : Self.handleNames
        handle = named(names, unique).first { key != [$0] }
        titles = Array(named(Self.titleNames, texts).prefix(1))
    }

    private func isAssured(_ member: String) -> Bool {
        presence.assured.contains(member) && !presence.optional.contains(member)
    }

    /// Whether a document allows null in a member of the row, which then names no row.
    func isNullable(_ path: [String]) -> Bool { path.count == 1 && presence.nullable.contains(path[0]) }

    /// Sets another handle, found in the answer of a row's own address.
    mutating func setHandle(_ path: [String]) { handle = key == [path] ? nil : path }

    /// Sets a key of the given place and a field of the parent, because the place is unique only among one parent's
    /// rows.
    mutating func setKey(_ path: [String]) { key = [path] }
}

// MARK: - Fields

extension DraftTable {
    /// Chooses the fields: all if there is room, otherwise scalars before arrays and addresses.
    ///
    /// - Parameters:
    ///   - wanted: places that a key, a handle or another resource refers to.
    ///   - others: the number of further fields.
    mutating func chooseFields(wanted: [[String]], others: Int) {
        let known = Set(candidates.map(\.column.path))
        let more = (details?.leaves ?? []).filter { !known.contains($0.path) && survey[$0.path] == nil }
            .map { DraftField($0, isDescribed: isDescribed) }
        let room = ItemState.declaredMax - titles.count - others
        let needed = Set(key + titles + wanted + (handle.map { [$0] } ?? []))
        let all = candidates + more
        let ranked = all.indices.ordered { place in
            [needed.contains(all[place].column.path) ? -1 : all[place].expendability]
        }
        let chosen = Set(ranked.prefix(room))
        leftOut = all.indices.filter { !chosen.contains($0) }.map { all[$0].column.path }
        for (place, field) in all.enumerated() where chosen.contains(place) {
            var field = field
            let path = field.column.path
            field.name = names.take(path.isEmpty ? "value" : path.joined(separator: "-"), field.type)
            guard field.value != nil else {
                unspeakable.append(path)
                continue
            }
            if place < candidates.count { fields.append(field) } else { detailFields.append(field) }
        }
    }
}

extension DraftField {
    /// The order in which fields are left out when there are too many; the highest first.
    fileprivate var expendability: Int {
        if Set(column.counts.keys) == [.null] { return 30 }
        let depth = column.path.count * 2
        if type == .text, column.areTextsAddresses, DraftWords.split(member) != ["url"] { return 20 + depth }
        return depth + (type == .json ? 1 : 0)
    }
}
