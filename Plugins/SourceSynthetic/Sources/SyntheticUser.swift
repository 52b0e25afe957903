import PatchbayCore
import PatchbayDomain

/// One user, drawn from a seed and an id.
struct SyntheticUser {
    let user: User

    /// Nil when the id is missing.
    init?(seed: UInt64, id: Int64, revision: UInt64) {
        var draw = Draw(seed, id)
        guard !draw.chance(Self.missingShare) else { return nil }
        let name = draw.word(SyntheticWords.givenNames)
        let login = Self.login(name, id, &draw)
        var user = User(id: id, login: login, url: "https://api.example.org/users/\(login)")
        user.nodeID = "U_" + String(UInt64(id) &* 0x9E37_79B9_7F4A_7C15, radix: 36)
        user.type = draw.chance(0.06) ? "Organization" : draw.chance(0.002) ? "Bot" : "User"
        user.userViewType = "public"
        user.isSiteAdmin = draw.chance(0.0005)
        user.avatarURL = "https://avatars.example.org/u/\(id)?v=4"
        user.gravatarID = ""
        user.htmlURL = "https://www.example.org/\(login)"
        user.detail = Self.detail(name, login, id, revision, &draw)
        self.user = user
    }

    /// The part of all ids that no user has.
    private static let missingShare = 0.0625

    static func isMissing(seed: UInt64, id: Int64) -> Bool {
        var draw = Draw(seed, id)
        return draw.chance(missingShare)
    }

    /// The id that a login ends with.
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

    private static func detail(
        _ name: SyntheticWords.Name, _ login: String, _ id: Int64, _ revision: UInt64, _ draw: inout Draw
    ) -> User.Detail {
        var detail = User.Detail()
        if draw.chance(0.78) {
            let family = draw.word(SyntheticWords.familyNames)
            detail.name = draw.chance(0.7) ? "\(name.native) \(family.native)" : name.native
        }
        if draw.chance(0.33) { detail.company = "@" + draw.word(SyntheticWords.syllables) + "-labs" }
        if draw.chance(0.38) {
            detail.blog = "https://\(login.lowercased()).example.org"
        } else {
            detail.blog = ""
        }
        if draw.chance(0.47) { detail.location = draw.word(SyntheticWords.places) }
        if draw.chance(0.14) { detail.email = "\(login.lowercased())@example.org" }
        if draw.chance(0.09) { detail.isHireable = true }
        if draw.chance(0.36) { detail.bio = draw.sentence() }
        if draw.chance(0.11) { detail.twitterUsername = login.replacingDashes() }
        detail.publicRepos = draw.longTail(12)
        detail.publicGists = draw.longTail(2)
        detail.followers = draw.longTail(9)
        detail.following = draw.longTail(6)
        let created = createdAt(id)
        detail.createdAt = created
        let changes = revision > 0 ? changeCount(id, through: revision) : 0
        detail.updatedAt = Timestamp(milliseconds: created.milliseconds + 86_400_000 * (1 + changes))
        detail.followers = detail.followers.map { $0 + changes }
        return detail
    }

    /// In how many of the revisions the user has changed: in about half of them.
    private static func changeCount(_ id: Int64, through revision: UInt64) -> Int64 {
        (1...revision).reduce(0) {
            $0 + (Draw.mixed($1 &+ UInt64(id) &* 0xD134_2543_DE82_EF95) & 1 == 0 ? 1 : 0)
        }
    }

    /// Accounts come ever faster from 2007-10-20 on; the one with the id 1,000,000,000 after 16 years.
    private static func createdAt(_ id: Int64) -> Timestamp {
        let seconds = 1_192_838_400 + Int64(Double(id).squareRoot() * 16_000)
        return Timestamp(milliseconds: seconds * 1_000)
    }
}

extension String {
    fileprivate func replacingDashes() -> String {
        String(decoding: utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }
}

/// Values that follow from a seed and an id, one after the other (SplitMix64, Steele, Lea and Flood 2014).
struct Draw {
    private var state: UInt64

    init(_ seed: UInt64, _ id: Int64) {
        state = Draw.mixed(seed) ^ Draw.mixed(UInt64(bitPattern: id) &* 0xD134_2543_DE82_EF95 &+ 1)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Draw.mixed(state)
    }

    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    mutating func word<Word>(_ words: [Word]) -> Word { words[Int(next() % UInt64(words.count))] }

    /// A count whose median is near `middle`, with a few that are a thousand times as large (Lomax, shape 1.2).
    mutating func longTail(_ middle: Double) -> Int64 {
        let scale = middle / 0.782
        let value = scale * (Draw.power(1 - unit()) - 1)
        return Int64(min(value, 1e7))
    }

    /// x to the power of -1/1.2, near enough: the square root and the cube root of what a count draws from.
    private static func power(_ x: Double) -> Double {
        let root = x.squareRoot()
        return 1 / (root * root.squareRoot() * root.squareRoot().squareRoot().squareRoot().squareRoot())
    }

    /// Three to 24 words, some with an emoji.
    mutating func sentence() -> String {
        let count = 3 + Int(next() % 22)
        var words = (0..<count).map { _ in word(SyntheticWords.words) }
        if chance(0.2) { words.append(word(SyntheticWords.emoji)) }
        return words.joined(separator: " ")
    }
}
