extension Timestamp {
    /// Reads an HTTP date: `Thu, 01 Oct 2026 09:18:20 GMT` (RFC 9110, section 5.6.7).
    ///
    /// The two obsolete forms, which no current API sends, return nil.
    public init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = Timestamp.months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }

    /// The time in whole seconds as an HTTP date.
    public var httpDate: String {
        let text = Array(
            Timestamp(milliseconds: milliseconds - (milliseconds % 1_000 + 1_000) % 1_000).description)
        let days = (milliseconds - (milliseconds % 86_400_000 + 86_400_000) % 86_400_000) / 86_400_000
        // 1970-01-01 was a Thursday.
        let weekday = Timestamp.weekdays[Int(((days + 4) % 7 + 7) % 7)]
        let month = Int(String(text[5...6])).map { Timestamp.months[$0 - 1] } ?? "Jan"
        return
            "\(weekday), \(String(text[8...9])) \(month) \(String(text[0...3])) \(String(text[11...18])) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
