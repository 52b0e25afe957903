extension Unicode.Scalar {
    /// Whether readers do not see the character as one: a control, a separator of lines or paragraphs, a noncharacter,
    /// or one that Unicode calls ignorable, such as a direction override, a zero-width character, a variation selector,
    /// a tag or a filler. Such a character in text from outside can hide or reorder other text.
    ///
    /// Format characters with a shape of their own, such as U+0600, and characters for private use are seen.
    package var isUnseen: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Marks around annotations, which are not ignorable but have no shape.
        case .format where (0xFFF9...0xFFFB).contains(value): return true
        default: return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        }
    }
}
