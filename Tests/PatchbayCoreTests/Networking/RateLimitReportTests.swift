import HTTPTypes
import PatchbayCore
import Testing

@Suite("Rate limit headers")
struct RateLimitReportTests {
    private let now = Timestamp("2026-10-01T09:18:20Z")!

    private func report(_ fields: [(String, String)]) -> RateLimitReport {
        var header = HTTPFields()
        for (name, value) in fields { header.append(HTTPField(name: .init(name)!, value: value)) }
        return RateLimitReport(header)
    }

    @Test(
        "a limit is read under any of the usual header names",
        arguments: [
            "X-RateLimit", "RateLimit", "x-rate-limit", "X-Rate-Limit", "X-RateLimit-Requests",
            "X-Shop-RateLimit",
        ])
    func names(_ family: String) {
        let report = report([
            ("\(family)-Limit", "300"), ("\(family)-Remaining", "299"), ("\(family)-Reset", "30"),
        ])
        #expect(report.limit == 300 && report.remaining == 299 && report.reset == .delay(.seconds(30)))
    }

    @Test(
        "the fields of the draft standard and a reset in seconds are read",
        arguments: [
            ("RateLimit", #""default";r=0;t=2000"#), ("RateLimit", #""day";r=9;t=9, "hour"; r=0; t=2000"#),
            ("RateLimit", "limit=100, remaining=0, reset=2000"),
        ])
    func drafts(_ name: String, _ value: String) {
        let report = report([(name, value)])
        #expect(report.remaining == 0 && report.reset == .delay(.seconds(2_000)))
        let after = self.report([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset-After", "1.2")])
        #expect(after.remaining == 0 && after.reset == .delay(.seconds(2)))
        #expect(self.report([("RateLimit", ";;=,, x")]) == RateLimitReport())
    }

    @Test("a count may be followed by more text, and one that is not a number is unknown")
    func counts() {
        let report = report([("RateLimit-Limit", "100, 100;w=60"), ("RateLimit-Remaining", "99.0")])
        #expect(report.limit == 100 && report.remaining == 99 && report.reset == nil)
        #expect(self.report([("X-RateLimit-Remaining", "-5")]) == RateLimitReport())
        #expect(
            self.report([("Limit", "1"), ("X-Page-Remaining", "2"), ("Reset", "3")]) == RateLimitReport())
    }

    @Test("of several limits, the one with the fewest remaining requests is used, with its own reset")
    func several() {
        let report = report([
            ("X-RateLimit-Requests-Remaining", "10"), ("X-RateLimit-Requests-Reset", "10"),
            ("X-RateLimit-Tokens-Remaining", "2"), ("X-RateLimit-Tokens-Reset", "99"),
        ])
        #expect(report.remaining == 2 && report.reset == .delay(.seconds(99)))
    }

    @Test(
        "the form of a reset determines whether it is a time or a duration",
        arguments: [
            ("1790846310", 10), ("1790846310000", 10), ("10", 10), ("0", 0),
            ("Thu, 01 Oct 2026 09:18:30 GMT", 10), ("2026-10-01T09:18:30.000000Z", 10),
            ("2026-10-01T11:18:30+02:00", 10), ("1000000000", 86_400), ("1000000001", 0),
        ])
    func resets(_ text: String, _ seconds: Int) {
        let reset = report([("X-RateLimit-Reset", text)]).reset
        #expect(reset?.delay(from: [:], now: now) == .seconds(seconds))
    }

    @Test(
        "a reset that is neither is unknown",
        arguments: ["", "soon", "-1", "999999999999999999", "99999999999999999999", "6m0s"])
    func neither(_ text: String) { #expect(report([("X-RateLimit-Reset", text)]).reset == nil) }
}
