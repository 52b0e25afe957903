extension Timestamp {
    /// Reads an HTTP date: `Thu, 01 Oct 2026 09:18:20 GMT`, or one of the two obsolete forms, `Thursday, 01-Oct-26
    /// 09:18:20 GMT` and `Thu Oct  1 09:18:20 2026` (RFC 9110, section 5.6.7). A year of two digits is from 1970 to
    /// 2069.
    public init?(httpDate text: String) {
        guard let parts = Timestamp.parts(ofHTTPDate: text),
            let month = Timestamp.months.firstIndex(of: parts.month)
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init("\(parts.year)-\(number)-\(parts.day)T\(parts.time)Z")
    }

    private static func parts(
        ofHTTPDate text: String
    ) -> (day: String, month: String, year: String, time: String)? {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        // Only the form of C has two spaces, before a day of one digit.
        if words.count == 6, words[2].isEmpty, words[3].utf8.count == 1 { words.remove(at: 2) }
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            return (words[1], words[2], words[3], words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT":
            let date = words[1].split(separator: "-").map(String.init)
            guard date.count == 3, date[2].utf8.count == 2 else { return nil }
            return (date[0], date[1], (date[2] < "70" ? "20" : "19") + date[2], words[2])
        case 5: return ((words[2].utf8.count == 1 ? "0" : "") + words[2], words[1], words[4], words[3])
        default: return nil
        }
    }

    /// The time in whole seconds as an HTTP date.
    package var httpDate: String {
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
