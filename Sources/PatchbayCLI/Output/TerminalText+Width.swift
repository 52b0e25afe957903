extension TerminalText {
    /// The columns that a harmless text takes on a terminal.
    ///
    /// Marks and joiners take none; East Asian wide characters and emoji take two, an emoji with all that is joined to
    /// it included. Terminals disagree on joined emoji; those that draw each part are wider by the parts.
    static func width(of text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// As much of the text as fits, with `…` for what is left out. Never cuts a character in two.
    static func cut(_ text: String, to limit: Int) -> String {
        guard width(of: text) > limit else { return text }
        var left = limit - 1
        guard left >= 0 else { return "" }
        let kept = text.prefix { character in
            left -= width(of: character)
            return left >= 0
        }
        return String(kept) + "…"
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
        // The signs that stand before numbers and words, as U+0600, are format characters that are drawn.
        case .format: return scalar.properties.isDefaultIgnorableCodePoint ? 0 : 1
        default: return isMedialJamo(scalar) ? 0 : isWide(scalar) ? 2 : 1
        }
    }

    /// The vowels and finals of Hangul, which are drawn into the syllable's first letter.
    private static func isMedialJamo(_ scalar: Unicode.Scalar) -> Bool {
        (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value)
    }

    /// East Asian Width W and F of Unicode (UAX #11), by blocks; emoji are known by their property.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3040...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
            0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
