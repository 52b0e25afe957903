import PatchbayCore

/// The beginnings, in the bytes of an index, of all texts that begin with a case-folded text.
///
/// An index of handles folds only A to Z, or nothing if the handle is the key. A text such as `Straße` is therefore
/// found from `strasse` at one of a few places: where all is spelled as in the text, or where one of its letters is
/// spelled with another character, or decomposed. The rows at these places include all that match; each must still be
/// compared.
package struct FoldedStarts {
    /// A place in the index.
    package struct Start {
        package let text: String
        /// Whether the text is whole, so that an equal text is spelled exactly so.
        package let isWhole: Bool
    }

    /// In the order of the index.
    package private(set) var starts: [Start] = []

    private let folded: [Unicode.Scalar]
    private let foldsLatin: Bool
    /// The maximum number of spellings of the first letters in an index that folds nothing.
    private static let spellingsMax = 8

    /// - Parameters:
    ///   - text: case-folded.
    ///   - foldsLatin: whether the index folds A to Z.
    package init(of text: String, foldsLatin: Bool) {
        folded = Array(text.foldedScalars)
        self.foldsLatin = foldsLatin
        walk()
        starts = starts.sorted { key($0).lexicographicallyPrecedes(key($1)) }
    }

    private func key(_ start: Start) -> [UInt8] {
        foldsLatin ? start.text.utf8.map(\.caseFolded) : Array(start.text.utf8)
    }

    private mutating func walk() {
        var beginnings = [""]
        for (place, scalar) in folded.enumerated() {
            for other in CaseVariants.of(scalar) where fits(other.folded, at: place) {
                let isWhole = place + other.folded.count == folded.count
                add(beginnings, [String(other.scalar)], isWhole: isWhole)
            }
            guard scalar.isASCII else {
                // Hangul is not among the variants, because it is composed by rule.
                let rest = String(String.UnicodeScalarView(folded[place...])).composed.unicodeScalars
                let marks = folded[(place + 1)...].prefix { scalar.isMark && $0.isMark }
                let ends = rest.first == scalar ? [scalar] : [scalar] + rest.prefix(1)
                add(beginnings, (ends + marks).map { String($0) }, isWhole: false)
                return
            }
            let isLetter = scalar.properties.isLowercase && !foldsLatin
            let spellings = isLetter ? [String(scalar), String(scalar).uppercased()] : [String(scalar)]
            guard beginnings.count * spellings.count <= Self.spellingsMax else {
                return add(beginnings, [""], isWhole: false)
            }
            beginnings = beginnings.flatMap { beginning in spellings.map { beginning + $0 } }
        }
        add(beginnings, [""], isWhole: true)
    }

    private mutating func add(
        _ beginnings: [String], _ ends: some Swift.Collection<String>, isWhole: Bool
    ) {
        for beginning in beginnings {
            for end in ends { starts.append(Start(text: beginning + end, isWhole: isWhole)) }
        }
    }

    /// Whether a character with this folding may be at a place. Marks may come in another order.
    private func fits(_ other: [Unicode.Scalar], at place: Int) -> Bool {
        let marks = folded[(place + 1)...].prefix(while: \.isMark)
        var next = marks.endIndex
        for scalar in other.dropFirst() {
            if scalar.isMark {
                guard marks.contains(scalar) || place + 1 == folded.count && staysApart(other) else {
                    return false
                }
            } else {
                guard next == folded.endIndex || folded[next] == scalar else { return false }
                next = min(next + 1, folded.endIndex)
            }
        }
        return true
    }

    /// Whether the first scalar is still the first after composing, as in the `i` with a dot that `İ` becomes.
    private func staysApart(_ other: [Unicode.Scalar]) -> Bool {
        String(String.UnicodeScalarView(other)).composed.unicodeScalars.first == other[0]
    }
}

/// The characters beside ASCII whose folding begins with a scalar.
private enum CaseVariants {
    struct Variant {
        let scalar: Unicode.Scalar
        let folded: [Unicode.Scalar]
    }

    static func of(_ scalar: Unicode.Scalar) -> [Variant] { all[scalar] ?? [] }

    private static let all: [Unicode.Scalar: [Variant]] = {
        var variants: [Unicode.Scalar: [Variant]] = [:]
        for scalar in places.joined().lazy.compactMap(Unicode.Scalar.init) {
            let folded = Array(String(scalar).foldedScalars)
            guard folded != [scalar] else { continue }
            variants[folded[0], default: []].append(Variant(scalar: scalar, folded: folded))
        }
        return variants
    }()

    /// Where Unicode has letters with a case and characters that decompose. The rest is scripts without either, and
    /// Hangul.
    private static let places: [ClosedRange<UInt32>] = [
        0x80...0x31FF, 0xA640...0xA7FF, 0xAB30...0xABBF, 0xF900...0xFB4F, 0xFF21...0xFF5A,
        0x1_0400...0x1_1FFF,
        0x1_6E40...0x1_6E7F, 0x1_D100...0x1_D1FF, 0x1_E900...0x1_E95F, 0x2_F800...0x2_FA1F,
    ]
}

extension Unicode.Scalar {
    /// Whether it combines with the character before it, so that composing may reorder it.
    fileprivate var isMark: Bool { properties.canonicalCombiningClass != .notReordered }
}
