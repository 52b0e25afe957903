import ArgumentParser

extension ClosedRange where Bound: CommandLineNumber {
    /// Both limits in words: `from 1 to 100`, `from 0 on`.
    var words: String {
        "from \(lowerBound.word) " + (upperBound == .greatest ? "on" : "to \(upperBound.word)")
    }

    /// The number that a word of the command line states.
    ///
    /// - Throws: `ValidationError` with the numbers that are allowed; the parser names the option and the word.
    @Sendable func number(_ word: String) throws -> Bound {
        guard let number = Bound(word), contains(number) else {
            throw ValidationError("take a \(Bound.noun) \(words)")
        }
        return number
    }

    /// The numbers that a word states, with commas between them.
    ///
    /// - Throws: `ValidationError` as ``number(_:)`` does, also when there is none.
    @Sendable func numbers(_ word: String) throws -> CommaList<Bound> {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let numbers = parts.compactMap(Bound.init).filter(contains)
        guard numbers.count == parts.count else {
            throw ValidationError("take a \(Bound.noun) \(words), or several with commas between them")
        }
        return CommaList(numbers)
    }
}
