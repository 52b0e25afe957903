/// The ends of runs that a search has already passed, so that a later start inside a run does not scan it again.
/// Otherwise a text full of false starts would take quadratic time.
struct SecretStops {
    /// The points after the first and second part of a possible web token, or the end of the run.
    var firstPoint = Stop(), secondPoint = Stop()
    /// The first digit of possible credentials, or the end of the run.
    var digit = Stop()

    /// The nearest byte of one kind.
    struct Stop {
        /// A range of other bytes, followed by a byte of the kind or the end of the text.
        private var passed = 0..<0

        /// Returns the index of the first byte of the kind at or after `start`, or the text's length.
        mutating func next(in bytes: [UInt8], from start: Int, where isStop: (UInt8) -> Bool) -> Int {
            if passed.contains(start) { return passed.upperBound }
            var index = start
            while index < bytes.count, !isStop(bytes[index]) { index += 1 }
            passed = start..<index
            return index
        }
    }
}
