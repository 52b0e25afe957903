import HTTPTypes
import PatchbayCore
import Testing

@Suite("Retry-After and HTTP dates")
struct RetryAfterTests {
    private let now = Timestamp("2026-10-01T09:18:20Z")!

    private func delay(_ text: String, _ more: HTTPFields = [:]) -> Duration? {
        var fields = more
        fields[.retryAfter] = text
        return RetryAfter(fields)?.delay(from: fields, now: now)
    }

    @Test(
        "a delay is in seconds, and at most a day",
        arguments: [
            ("0", Duration.zero), ("120", .seconds(120)), ("86401", .seconds(86_400)),
            ("999999999999999999999", .seconds(86_400)), ("1.5", .seconds(2)), ("2.0", .seconds(2)),
            ("0.001", .seconds(1)),
        ])
    func seconds(_ text: String, _ expected: Duration) { #expect(delay(text) == expected) }

    @Test(
        "a delay to a date starts at the answer's own date, or at this machine's clock if it has none",
        arguments: [
            ("Thu, 01 Oct 2026 09:18:30 GMT", nil, 10), ("Thursday, 01-Oct-26 09:18:30 GMT", nil, 10),
            ("Thu Oct  1 09:18:30 2026", nil, 10),
            ("Thu, 01 Oct 2026 09:18:30 GMT", "Thu, 01 Oct 2026 09:18:00 GMT", 30),
            ("Thu, 01 Oct 2026 09:00:00 GMT", nil, 0), ("Fri, 01 Oct 2027 09:00:00 GMT", nil, 86_400),
            ("Thu, 01 Oct 2026 09:18:30 GMT", "no date", 10),
        ] as [(String, String?, Int)])
    func date(_ text: String, _ date: String?, _ seconds: Int) {
        #expect(delay(text, date.map { [.date: $0] } ?? [:]) == .seconds(seconds))
    }

    @Test(
        "a value that is neither is ignored",
        arguments: [
            "", "-1", "1.", ".5", "1.5.2", "1e3", "soon", "Thu, 01 Oct 2026", "Thu, 32 Oct 2026 09:18:30 GMT",
        ])
    func neither(_ text: String) { #expect(delay(text) == nil) }

    @Test(
        "of several times in one or several lines, the latest applies",
        arguments: [
            (["2814, 2"], 2_814), (["2", "2814"], 2_814), (["2814", "soon"], 2_814), (["soon, 7"], 7),
            (["Thu, 01 Oct 2026 09:18:30 GMT, 5"], 10), (["5, Thu, 01 Oct 2026 09:18:30 GMT"], 10),
            (["60", "Thu, 01 Oct 2026 09:18:30 GMT"], 60),
            (["Thu, 01 Oct 2026 09:18:30 GMT", "Thu, 01 Oct 2026 09:18:40 GMT"], 20),
        ] as [([String], Int)])
    func several(_ lines: [String], _ seconds: Int) {
        var fields: HTTPFields = [.date: "Thu, 01 Oct 2026 09:18:20 GMT"]
        for line in lines { fields.append(HTTPField(name: .retryAfter, value: line)) }
        #expect(RetryAfter(fields)?.delay(from: fields, now: now) == .seconds(seconds))
    }

    @Test("a delay in milliseconds counts like one in seconds")
    func milliseconds() {
        let name = HTTPField.Name("retry-after-ms")!
        #expect(RetryAfter([name: "1500"]) == .delay(.milliseconds(1_500)))
        #expect(RetryAfter([name: "1500", .retryAfter: "3"]) == .delay(.seconds(3)))
        #expect(RetryAfter([name: "99999999999999999999"]) == .delay(.seconds(86_400)))
        #expect(RetryAfter([name: "-5"]) == nil)
    }

    @Test("HTTP dates are read")
    func httpDate() {
        #expect(Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") == Timestamp("1994-11-06T08:49:37Z"))
        #expect(Timestamp(httpDate: "Thu, 29 Feb 2024 00:00:00 GMT") == Timestamp("2024-02-29T00:00:00Z"))
        for text in [
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
        ] {
            #expect(Timestamp(httpDate: text) == Timestamp("1994-11-06T08:49:37Z"), "\(text)")
        }
        #expect(Timestamp(httpDate: "Friday, 06-Nov-26 08:49:37 GMT") == Timestamp("2026-11-06T08:49:37Z"))
        for text in [
            "Sun, 06 nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06-Nov 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37", "Sun Nov 6 1994", "Sun Nov  6 08:49:37 94",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Thu, 29 Feb 2023 00:00:00 GMT", "",
        ] {
            #expect(Timestamp(httpDate: text) == nil, "\(text)")
        }
    }
}
