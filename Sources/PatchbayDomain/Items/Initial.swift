/// The letter that a title is grouped under.
///
/// The first character of the title, in upper case where it has one: `é` is grouped under `É`, a Hangul syllable under
/// itself however it is composed. A title that is empty or starts with a non-letter (a digit, an emoji, a lone accent)
/// is grouped under `#`. A letter whose upper case has two characters (`ß`) stays as it is.
package struct Initial: Hashable, Sendable {
    /// The upper-case letter; `#` for ``other``.
    package let character: Character

    /// The group of titles that do not begin with a letter.
    package static let other = Initial(character: "#")

    /// Creates the group of a title, which is ``other`` if the title does not begin with a letter.
    package init(of title: String) {
        guard let first = title.first, first.isLetter else {
            self = .other
            return
        }
        let upper = first.uppercased()
        character = upper.count == 1 ? Character(upper) : first
    }

    private init(character: Character) { self.character = character }
}
