import PatchbayCore
@_spi(_Unicode) import Swift

extension String {
    /// The text in Unicode's composed form (NFC), which is the same for every way to write it.
    package var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in _nfc { scalars.append(scalar) }
        return String(scalars)
    }

    /// The text for comparison regardless of case: decomposed, each scalar folded by Unicode's full case folding, then
    /// composed (NFC).
    ///
    /// `ß` becomes `ss`, the final sigma a sigma, the Turkish `İ` an `i` with a dot above. The Turkish `ı` stays a
    /// separate letter. Nothing depends on the language. Cherokee letters become lower case where Unicode makes them
    /// upper case, which compares the same texts as equal.
    package var caseFolded: String {
        utf8.allSatisfy { $0 < 0x80 } ? lowercased() : String(foldedScalars).composed
    }

    /// The decomposed text with each scalar folded: ``caseFolded`` before it is composed.
    var foldedScalars: String.UnicodeScalarView {
        var folded = String.UnicodeScalarView()
        for scalar in _nfd {
            // Most letters of most names, for which the mappings below would take long.
            if scalar.isASCII {
                folded.append(Unicode.Scalar(UInt8(scalar.value).caseFolded))
            } else {
                folded.append(contentsOf: scalar.caseFolded.unicodeScalars)
            }
        }
        return folded
    }
}

extension Unicode.Scalar {
    /// The standard library has no table of case foldings. Converting to lower, upper and lower case again has the same
    /// effect: the first step turns the one capital that no letter has as its upper case (`ẞ`) into its lower case, and
    /// the others unify the lower-case letters that share a capital.
    fileprivate var caseFolded: String {
        if self == "\u{131}" { return String(self) }
        let small = properties.lowercaseMapping
        let capital = small.unicodeScalars.map(\.properties.uppercaseMapping).joined()
        return capital.unicodeScalars.map(\.properties.lowercaseMapping).joined()
    }
}
