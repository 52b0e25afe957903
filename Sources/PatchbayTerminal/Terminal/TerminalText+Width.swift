extension TerminalText {
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
}
