import ArgumentParser

extension ClosedRange where Bound: CommandLineNumber {
    /// The limits in words: `from 1 to 100`, `at least 0`.
    var words: String {
        upperBound == .greatest
            ? "at least \(lowerBound.word)" : "from \(lowerBound.word) to \(upperBound.word)"
    }

    /// Parses a number from a word of the command line.
    ///
    /// - Throws: `ValidationError` with the numbers that are allowed; the parser names the option and the word.
    @Sendable func number(_ word: String) throws -> Bound {
        guard let number = Bound(word), contains(number) else {
            throw ValidationError("expected a \(Bound.noun), \(words)")
        }
        return number
    }

    /// Parses comma-separated numbers from a word of the command line.
    ///
    /// - Throws: `ValidationError` as ``number(_:)`` does, and for an empty list.
    @Sendable func numbers(_ word: String) throws -> CommaList<Bound> {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let numbers = parts.compactMap(Bound.init).filter(contains)
        guard numbers.count == parts.count else {
            throw ValidationError("expected a \(Bound.noun), \(words), or a comma-separated list")
        }
        return CommaList(numbers)
    }
}
