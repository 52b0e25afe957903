import PatchbayCore
import PatchbayDomain

/// The spelling of names and text in a draft.
enum DraftWords {
    /// Words in lower case: `nextPageToken` and `next-page_token` are `next page token`.
    static func split(_ name: String) -> [String] {
        var words: [String] = [], word = "", wasSmall = false
        for scalar in name.unicodeScalars {
            let isCapital = ("A"..."Z").contains(scalar)
            let isSmall = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
            if !isCapital && !isSmall || isCapital && wasSmall {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if isCapital || isSmall { word += String(scalar).lowercased() }
            wasSmall = isSmall
        }
        return word.isEmpty ? words : words + [word]
    }

    /// A name without the differences between spellings: `nextpagetoken`.
    static func folded(_ name: String) -> String { split(name).joined() }

    /// A name as the grammar spells it: `site-admin`. A text without letters or digits becomes `other`.
    ///
    /// - Parameter bytesMax: the maximum length, of whose words the last ones are kept. The default leaves room for a
    ///   number that makes the name unique.
    static func name(
        _ text: String, other: String = "field", bytesMax: Int = DefinitionWords.nameBytesMax - 6
    ) -> String {
        var words = split(text).suffix(bytesMax)
        func joined() -> String {
            let name = words.joined(separator: "-")
            return name.first?.isNumber == true ? "n" + name : name
        }
        while words.count > 1, joined().utf8.count > bytesMax { words.removeFirst() }
        return words.isEmpty ? other : String(joined().prefix(bytesMax))
    }

    private static let shownMax = 60

    /// Untrusted text in a comment: one line without unseen characters.
    static func shown(_ text: String) -> String {
        let seen = text.unicodeScalars.prefix(shownMax).map { $0.isUnseen ? "?" : $0 }
        return String(String.UnicodeScalarView(seen))
            + (text.unicodeScalars.count > shownMax ? "..." : "")
    }

    /// The first names, and the number of further ones.
    static func list(_ names: [String], max: Int = 8) -> String {
        let more = names.count > max ? " and \(names.count - max) more" : ""
        return names.prefix(max).map(shown).joined(separator: ", ") + more
    }
}

/// The lines of a definition being written.
struct DraftText {
    private(set) var lines: [String] = []

    mutating func comment(_ text: String) {
        var line = "#"
        for word in text.split(separator: " ") {
            if line.count + word.count >= 100, line != "#" {
                lines.append(line)
                line = "#"
            }
            line += " " + word
        }
        lines.append(line)
    }

    mutating func blank() { if lines.last != "" { lines.append("") } }

    /// Adds a line unless a definition cannot contain the value: a secret, or text that a line cannot express.
    ///
    /// - Returns: whether it was added.
    @discardableResult
    mutating func set(_ key: String, _ value: String) -> Bool {
        guard let line = DraftText.line(key, value) else { return false }
        lines.append(line)
        return true
    }

    static func line(_ key: String, _ value: String) -> String? {
        let isPlain = !value.hasPrefix("\"") && !value.contains { "#\\\n\t".contains($0) }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n").replacing("\t", with: "\\t")
        let line = "\(key) = \(isPlain ? value : "\"\(escaped)\"")"
        let (file, faults) = ConfigurationFile.reading(path: "", bytes: Array(line.utf8))
        guard faults.isEmpty, file.entries.count == 1, let entry = file.entries.first, entry.value == value,
            DefinitionSecrets.problem(of: entry) == nil,
            // An editor may show these as a line break, or other text in reverse.
            !line.unicodeScalars.contains(where: \.isUnseen)
        else { return nil }
        return line
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    var bytes: Int { lines.reduce(0) { $0 + $1.utf8.count + 1 } }
}

/// The names of a resource's fields, each of them unique.
struct DraftNames {
    private var folded: Set<String> = []
    private var names: Set<String> = []
    private static let kept = ResourceChecks.addedNames.union(ItemState.names)
    private static let suffixes = ["_override", "_folded", "_ms"]

    /// A free name for a field of this type, as the grammar spells it.
    mutating func take(_ wanted: String, _ type: ValueType) -> String {
        let base = DraftWords.name(wanted)
        var name = base, number = 1
        while !isFree(name.withUnderscores, type) {
            number += 1
            name = "\(base)-\(number)"
        }
        names.insert(name.withUnderscores)
        folded.insert(ResourceField.folded(name))
        return name
    }

    private func isFree(_ name: String, _ type: ValueType) -> Bool {
        let column = FieldDeclaration(name, type).column
        guard !folded.contains(ResourceField.folded(name)), !Self.kept.contains(name),
            !Self.kept.contains(column)
        else { return false }
        // A column such as name_folded may belong to the field name.
        return Self.suffixes.allSatisfy { suffix in
            !names.contains(name + suffix)
                && !(name.hasSuffix(suffix) && names.contains(String(name.dropLast(suffix.count))))
        }
    }
}
