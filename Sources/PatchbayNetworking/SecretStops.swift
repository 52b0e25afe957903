/// Where runs end that a search has walked through, so that who begins further on in one does not walk it again: a text
/// may consist of beginnings of secrets that are none.
struct SecretStops {
    /// The points behind the first and the second part of what may be a web token, or the end of the run.
    var firstPoint = Stop(), secondPoint = Stop()
    /// The first digit of what may be credentials, or the end of the run.
    var digit = Stop()

    /// The nearest byte of one kind.
    struct Stop {
        /// Bytes of which none is of the kind; behind them stands one, or the end.
        private var passed = 0..<0

        /// The index of the first byte of the kind from `start` on; the text's length without one.
        mutating func next(in bytes: [UInt8], from start: Int, where isStop: (UInt8) -> Bool) -> Int {
            if passed.contains(start) { return passed.upperBound }
            var index = start
            while index < bytes.count, !isStop(bytes[index]) { index += 1 }
            passed = start..<index
            return index
        }
    }
}
