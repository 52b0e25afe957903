import PatchbayCore

/// Makes text safe to print on a terminal, and measures its width.
package enum TerminalText {
    /// Returns the text with everything escaped that a terminal would interpret or not show.
    ///
    /// Controls become `\n`, `\r`, `\t` or `\u{1B}`. The same happens to line separators, direction marks and
    /// overrides, the byte order mark, tags, fillers and every other unseen character. Normal text does not change:
    /// every script, combining marks, emoji with their joiners and variation selectors, and the joiners
    /// inside Arabic, Indic and Southeast Asian words. If a character has more than 32 scalars, the rest of them are
    /// escaped, so that a stack of marks cannot cover other lines.
    ///
    /// Use it for all text in tables and messages that comes from outside. It does not change a text that is already
    /// harmless. Backslashes are not escaped, so the result is for reading and cannot be converted back.
    package static func harmless(_ text: String) -> String { harmless(text, escape: escape) }

    /// Returns JSON text in which JSON escapes replace everything that ``harmless(_:)`` escapes; values do not change.
    ///
    /// Line feeds are kept, because the writer has already escaped those within values.
    package static func harmless(json: String) -> String {
        harmless(json) { scalar in
            if scalar == "\n" { return "\n" }
            return scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private static func harmless(_ text: String, escape: (Unicode.Scalar) -> String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for character in text {
            if isFlagOfTags(character) {
                result.append(character)
            } else {
                appendHarmless(character, escape, to: &result)
            }
        }
        return result
    }

    private static func appendHarmless(
        _ character: Character, _ escape: (Unicode.Scalar) -> String, to result: inout String
    ) {
        let scalars = character.unicodeScalars
        var number = 0
        for index in scalars.indices {
            let scalar = scalars[index]
            number += 1
            // A scalar beyond the limit is escaped, so nothing can be joined to it.
            let next = number < scalarsMax ? scalars[scalars.index(after: index)...].first : nil
            if number <= scalarsMax, isHarmless(scalar, after: result.unicodeScalars.last, before: next) {
                result.unicodeScalars.append(scalar)
            } else {
                result += escape(scalar)
            }
        }
    }

    /// The longest characters in use have ten scalars; the Stream-Safe Text Format of UAX #15 allows 30 marks.
    private static let scalarsMax = 32

    private static let flagTags = ["gbeng\u{7F}", "gbsct\u{7F}", "gbwls\u{7F}"]

    private static func isHarmless(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard scalar.isUnseen else { return true }
        // Rows must keep their spelling, so these are allowed where scripts and emoji need them.
        switch scalar.value {
        case 0x200B...0x200D, 0x180E: return isJoiner(scalar, after: previous, before: next)
        case 0xFE00...0xFE0F, 0x180B...0x180D, 0x180F, 0xE0100...0xE01EF:
            return isSelector(scalar, after: previous, before: next)
        default: return false
        }
    }

    /// Returns whether a zero-width character has an effect here: between emoji, or after a letter of a script that
    /// uses it.
    private static func isJoiner(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard let previous else { return false }
        if usesJoiners(previous) { return true }
        guard scalar == "\u{200D}", let next, isEmoji(next) else { return false }
        return isEmoji(previous) || previous == "\u{FE0F}"
    }

    /// Returns whether a variation selector follows a character that has variations.
    private static func isSelector(
        _ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, before next: Unicode.Scalar?
    ) -> Bool {
        guard let previous, !previous.properties.isDefaultIgnorableCodePoint else { return false }
        switch scalar.value {
        case 0xFE0E...0xFE0F: return isEmoji(previous) || (previous.properties.isEmoji && next == "\u{20E3}")
        case 0x180B...0x180F: return (0x1800...0x18AF).contains(previous.value)
        default: return previous.value >= 0x1000
        }
    }

    /// Returns whether it is an emoji. Unicode counts digits, `#` and `*` as emoji because keycaps begin with them;
    /// this method does not.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && !scalar.isASCII
    }

    /// Returns whether it belongs to Hebrew, Arabic, the scripts of South and Southeast Asia, or Mongolian, including
    /// their extensions.
    private static func usesJoiners(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x10FF, 0x1700...0x1CFF, 0xA800...0xABFF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC,
            0x10A00...0x11FFF, 0x1E900...0x1EEFF:
            !scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Returns whether it is the flag of England, Scotland or Wales, the only emoji that are written with tags.
    private static func isFlagOfTags(_ character: Character) -> Bool {
        guard character.unicodeScalars.first == "\u{1F3F4}" else { return false }
        let tags = character.unicodeScalars.dropFirst().map { $0.value ^ 0xE0000 }
        return flagTags.contains { $0.unicodeScalars.map(\.value) == tags }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    /// Returns the number of columns that a harmless text occupies on a terminal.
    ///
    /// Marks and joiners take none; East Asian wide characters and emoji take two, and so does a sequence of joined
    /// emoji. Terminals disagree about joined emoji: some draw each part, which takes more columns.
    package static func width(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// Returns as much of the text as fits, with `…` for the rest. Characters are never split.
    package static func cut(_ text: String, to limit: Int) -> String {
        guard width(of: text) > limit else { return text }
        var left = limit - 1
        guard left >= 0 else { return "" }
        let kept = text.prefix { character in
            left -= width(of: character)
            return left >= 0
        }
        return String(kept) + "…"
    }

    /// Returns the harmless text with blanks after it, or before it, up to a number of columns.
    package static func padded(_ text: String, to columns: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - width(of: text)))
        return isRight ? blanks + text : text + blanks
    }

    private static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if isDrawnAsEmoji(scalars) { return 2 }
        return scalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func isDrawnAsEmoji(_ scalars: Character.UnicodeScalarView) -> Bool {
        guard let first = scalars.first, first.properties.isEmoji else { return false }
        if first.properties.isEmojiPresentation { return true }
        return scalars.dropFirst().contains { $0 == "\u{FE0F}" || $0.properties.isEmojiModifier }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        // Some format characters are visible: the marks before numbers and words, such as U+0600.
        case .format: return scalar.properties.isDefaultIgnorableCodePoint ? 0 : 1
        default: return isMedialJamo(scalar) ? 0 : isWide(scalar) ? 2 : 1
        }
    }

    /// Returns whether it is a vowel or final of Hangul, which is drawn together with the first letter of the syllable.
    private static func isMedialJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
    }

    /// Returns whether its East Asian Width is W or F (UAX #11), by blocks; emoji are recognized by their property.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3040...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// Returns the text in lines of at most `columns` columns, broken between words if possible.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var current = "", width = 0
        for character in text {
            let more = TerminalText.width(of: String(character))
            if width + more > columns, !current.isEmpty {
                let space = current.lastIndex(of: " ").map { current.index(after: $0) }
                let rest = character == " " ? "" : space.map { String(current[$0...]) } ?? ""
                lines.append(String(current.dropLast(rest.count)))
                (current, width) = (rest, TerminalText.width(of: rest))
                if character == " " { continue }
            }
            current.append(character)
            width += more
        }
        return lines + [current]
    }

    /// Returns the text in lines of at most `columns` columns, broken between words. A longer word gets its own line
    /// and is not broken, because a broken path or address cannot be copied.
    ///
    /// - Parameter indent: the number of blanks before every line but the first.
    package static func wrapped(words text: String, to columns: Int, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = current.isEmpty ? String(word) : current + " " + word
            if !current.isEmpty, TerminalText.width(of: longer) > columns {
                lines.append(current)
                current = margin + word
            } else {
                current = longer
            }
        }
        return lines + [current]
    }
}
