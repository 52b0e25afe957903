import ArgumentParser

extension ClosedRange where Bound: FixedWidthInteger & Sendable {
    /// The number that a word of the command line states.
    ///
    /// The option takes its word whatever it is (`parsing: .unconditional`): -5 is no option but a number too small.
    /// - Throws: `ValidationError` with the numbers that are allowed; the parser names the option and the word.
    @Sendable func number(_ word: String) throws -> Bound {
        guard let number = Bound(word), contains(number) else {
            let most = upperBound == .max ? "on" : "to \(upperBound)"
            throw ValidationError("take a whole number from \(lowerBound) \(most)")
        }
        return number
    }
}
