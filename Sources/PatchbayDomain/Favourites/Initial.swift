/// The letter that a title is grouped under.
///
/// It is the first character of the title, in upper case when it has one: `é` under `É`, a syllable of Hangul under
/// itself however it is composed. What is no letter (a digit, an emoji, a lone accent) and an empty title are under
/// `#`. A letter whose upper case has two characters (`ß`) stays as it is.
public struct Initial: Hashable, Sendable {
    public let character: Character

    /// Where everything is that begins with no letter.
    public static let other = Initial(character: "#")

    public init(of title: String) {
        guard let first = title.first, first.isLetter else {
            self = .other
            return
        }
        let upper = first.uppercased()
        character = upper.count == 1 ? Character(upper) : first
    }

    private init(character: Character) { self.character = character }
}
