@_spi(_Unicode) import Swift

extension String {
    /// The text in Unicode's composed form (NFC): one sequence of scalars for each way to write the same.
    package var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text as texts are compared regardless of case: decomposed, each scalar folded as Unicode's full case
    /// folding says, composed (NFC).
    ///
    /// `ß` becomes `ss`, the final sigma a sigma, the Turkish `İ` an `i` with a dot above. The Turkish `ı` stays a
    /// letter of its own. Nothing depends on the language. Cherokee letters become small ones where Unicode makes them
    /// big; what is equal is the same.
    package var caseFolded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = String.UnicodeScalarView()
        for scalar in _nfd { folded.append(contentsOf: scalar.caseFolded.unicodeScalars) }
        return String(folded).composed
    }
}

extension Unicode.Scalar {
    /// The standard library has no table of case foldings. Small, big, small again is the same: the first step leads
    /// from the one capital that is no other letter's (`ẞ`) to its small letter, the second gathers the small letters
    /// that share a capital.
    fileprivate var caseFolded: String {
        if self == "\u{131}" { return String(self) }
        let small = properties.lowercaseMapping
        let capital = small.unicodeScalars.map(\.properties.uppercaseMapping).joined()
        return capital.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    }
}
