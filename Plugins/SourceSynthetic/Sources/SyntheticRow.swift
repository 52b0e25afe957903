import PatchbayCore
import PatchbayDomain

/// A made-up account, generated from a seed and an id. Its values are in the order of its fields.
struct SyntheticRow {
    /// The values that a list returns.
    let listed: [ItemValue?]
    private let id: Int64
    private let name: SyntheticWords.Name
    private let login: String
    /// The random state for the details.
    private let detailDraw: Draw

    static let listedFields = [
        FieldDeclaration("id", .integer), FieldDeclaration("login", .text),
        FieldDeclaration("node_id", .text),
        FieldDeclaration("type", .text), FieldDeclaration("user_view_type", .text),
        FieldDeclaration("site_admin", .boolean), FieldDeclaration("avatar_url", .text),
        FieldDeclaration("gravatar_id", .text), FieldDeclaration("url", .text),
        FieldDeclaration("html_url", .text),
    ]

    static let detailFields = [
        detail("name", .text), detail("company", .text), detail("blog", .text), detail("location", .text),
        detail("email", .text), detail("hireable", .boolean), detail("bio", .text),
        detail("twitter_username", .text), detail("public_repos", .integer),
        detail("public_gists", .integer), detail("followers", .integer), detail("following", .integer),
        detail("created_at", .time), detail("updated_at", .time),
    ]

    private static func detail(_ name: String, _ type: ValueType) -> FieldDeclaration {
        FieldDeclaration(name, type, isDetail: true)
    }

    /// Nil when the id is missing.
    init?(seed: UInt64, id: Int64) {
        var draw = Draw(seed, id)
        guard !draw.chance(Self.missingShare) else { return nil }
        let name = draw.word(SyntheticWords.givenNames)
        let login = Self.login(name, id, &draw)
        let type = draw.chance(0.06) ? "Organization" : draw.chance(0.002) ? "Bot" : "User"
        listed = [
            .integer(id), .text(login),
            .text("U_" + String(UInt64(id) &* 0x9E37_79B9_7F4A_7C15, radix: 36)), .text(type),
            .text("public"), .boolean(draw.chance(0.0005)),
            .text("https://avatars.example.org/u/\(id)?v=4"), .text(""),
            .text("https://api.example.org/users/\(login)"), .text("https://www.example.org/\(login)"),
        ]
        self.id = id
        self.name = name
        self.login = login
        detailDraw = draw
    }

    /// The share of ids without an account.
    private static let missingShare = 0.0625

    static func isMissing(seed: UInt64, id: Int64) -> Bool {
        var draw = Draw(seed, id)
        return draw.chance(missingShare)
    }

    /// Returns the id at the end of a login.
    static func id(in login: String) -> Int64? {
        guard let dash = login.lastIndex(of: "-") else { return nil }
        return Int64(login[login.index(after: dash)...], radix: 36)
    }

    private static func login(_ name: SyntheticWords.Name, _ id: Int64, _ draw: inout Draw) -> String {
        var word = name.latin
        if draw.chance(0.3) { word += draw.word(SyntheticWords.syllables) }
        if draw.chance(0.12) { word += "-" + draw.word(SyntheticWords.syllables) }
        if draw.chance(0.25) { word = word.prefix(1).uppercased() + word.dropFirst() }
        return word + "-" + String(id, radix: 36)
    }

    /// Returns the values that only the account's own address returns.
    func detail(revision: UInt64) -> [ItemValue?] {
        var draw = detailDraw
        let small = login.lowercased()
        let texts = [
            draw.text(0.78) { draw in
                let family = draw.word(SyntheticWords.familyNames)
                return draw.chance(0.7) ? "\(name.native) \(family.native)" : name.native
            },
            draw.text(0.33) { "@" + $0.word(SyntheticWords.syllables) + "-labs" },
            draw.text(0.38) { _ in "https://\(small).example.org" } ?? .text(""),
            draw.text(0.47) { $0.word(SyntheticWords.places) },
            draw.text(0.14) { _ in "\(small)@example.org" },
            draw.chance(0.09) ? .boolean(true) : nil,
            draw.text(0.36) { $0.sentence() },
            draw.text(0.11) { _ in login.withUnderscores },
        ]
        let repos = draw.longTail(12), gists = draw.longTail(2)
        let followers = draw.longTail(9), following = draw.longTail(6)
        let changes = changeCount(through: revision)
        return texts + [
            .integer(repos), .integer(gists), .integer(followers + changes), .integer(following),
            .time(createdAt),
            .time(Timestamp(milliseconds: createdAt.milliseconds + 86_400_000 * (1 + changes))),
        ]
    }

    /// Returns the number of revisions in which the account has changed, about half of them.
    private func changeCount(through revision: UInt64) -> Int64 {
        guard revision > 0 else { return 0 }
        return (1...revision).reduce(0) {
            $0 + (Draw.mixed($1 &+ UInt64(id) &* 0xD134_2543_DE82_EF95) & 1 == 0 ? 1 : 0)
        }
    }

    /// Accounts are created at an increasing rate from 2007-10-20; the one with id 1,000,000,000 after 16 years.
    private var createdAt: Timestamp {
        let seconds = 1_192_838_400 + Int64(Double(id).squareRoot() * 16_000)
        return Timestamp(milliseconds: seconds * 1_000)
    }
}

/// A sequence of random values (SplitMix64, Steele, Lea and Flood 2014).
package struct Draw: Sendable {
    private var state: UInt64

    package init(_ state: UInt64) { self.state = state }

    init(_ seed: UInt64, _ id: Int64) {
        self.init(Draw.mixed(seed) ^ Draw.mixed(UInt64(bitPattern: id) &* 0xD134_2543_DE82_EF95 &+ 1))
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Draw.mixed(state)
    }

    package static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to below 1.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    package mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    mutating func word<Word>(_ words: [Word]) -> Word { words[Int(next() % UInt64(words.count))] }

    /// Returns a text for the given share of accounts, otherwise nil.
    mutating func text(_ probability: Double, _ text: (inout Draw) -> String) -> ItemValue? {
        chance(probability) ? .text(text(&self)) : nil
    }

    /// Returns a count with a median near `middle` and a long tail to a thousand times as much (Lomax, shape 1.2).
    mutating func longTail(_ middle: Double) -> Int64 {
        let scale = middle / 0.782
        let value = scale * (Draw.power(1 - unit()) - 1)
        return Int64(min(value, 1e7))
    }

    /// Returns x to the power of about -1/1.2, using square roots only.
    private static func power(_ x: Double) -> Double {
        let root = x.squareRoot()
        return 1 / (root * root.squareRoot() * root.squareRoot().squareRoot().squareRoot().squareRoot())
    }

    /// Returns 3 to 24 words, sometimes with an emoji.
    mutating func sentence() -> String {
        let count = 3 + Int(next() % 22)
        var words = (0..<count).map { _ in word(SyntheticWords.words) }
        if chance(0.2) { words.append(word(SyntheticWords.emoji)) }
        return words.joined(separator: " ")
    }
}
