extension Duration {
    /// The duration as text for people: `42 s`, `12 min 5 s`, `2 h 5 min`; rounded up to whole seconds.
    var words: String {
        let (whole, rest) = components
        let seconds = max(0, whole + (rest > 0 ? 1 : 0))
        let parts: [(Int64, String)] =
            seconds < 3_600
            ? [(seconds / 60, "min"), (seconds % 60, "s")]
            : [(seconds / 3_600, "h"), (seconds % 3_600 / 60, "min")]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "0 s" : words.joined(separator: " ")
    }
}
