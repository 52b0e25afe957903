import HTTPTypes
import PatchbayCore
import Testing

@testable import PatchbayServer

@Suite("Freshness (RFC 9111, section 4.2)")
struct FreshnessTests {
    private let now = Timestamp("2026-11-23T12:00:00Z")!

    private func freshness(_ fields: HTTPFields) -> Freshness {
        Freshness(fields, requestedAt: now, receivedAt: now)
    }

    private func lifetime(_ control: String) -> Int { freshness([.cacheControl: control]).lifetime }

    @Test("s-maxage takes precedence over max-age, and both over Expires")
    func order() {
        #expect(lifetime("max-age=60") == 60)
        #expect(lifetime("max-age=60, s-maxage=10") == 10)
        #expect(lifetime("private, max-age=60, s-maxage=10") == 60, "s-maxage applies to shared caches")
        let date = now.httpDate, later = now.advanced(by: .seconds(30)).httpDate
        #expect(freshness([.date: date, .expires: later]).lifetime == 30)
        #expect(freshness([.date: date, .expires: later, .cacheControl: "max-age=5"]).lifetime == 5)
        #expect(freshness([.expires: "0"]).lifetime == 0)
        #expect(
            freshness([.lastModified: "Wed, 01 Jan 2020 00:00:00 GMT"]).lifetime == 0,
            "there is no heuristic lifetime")
    }

    @Test(
        "invalid numbers make an answer stale, and invalid names are ignored",
        arguments: [
            ("max-age=a60", 0), ("max-age=60a", 0), ("max-age='60'", 0), ("max-age=-60", 0),
            ("max-age= 60", 0),
            ("max-age =60", 0), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60),
            ("x=\"max-age=60\", max-age=1", 1), ("max-age=60, max-age=1", 1), ("foo,max-age=60 ,bar", 60),
            ("max-age=99999999999999999999", CacheDirectives.secondsMax),
        ])
    func values(_ control: String, _ expected: Int) { #expect(lifetime(control) == expected) }

    @Test(
        "an age is the first number of the field",
        arguments: [
            ("7200", 7_200), ("7200, 0", 7_200), ("0, 7200", 0), ("abc", 0), ("-7200", 0), ("7200.0", 0),
            ("99999999999", CacheDirectives.secondsMax),
        ])
    func ages(_ age: String, _ expected: Int) { #expect(freshness([.age: age]).age(at: now) == expected) }

    @Test("the age grows with time and includes the date and the exchange")
    func growth() {
        let sent = now.advanced(by: .seconds(-3))
        let slow = Freshness(
            [.age: "10", .cacheControl: "max-age=60"], requestedAt: sent, receivedAt: now)
        #expect(slow.age(at: now) == 13)
        #expect(slow.age(at: now.advanced(by: .seconds(5))) == 18)
        let old = freshness([.date: now.advanced(by: .seconds(-40)).httpDate, .cacheControl: "max-age=60"])
        #expect(old.secondsLeft(at: now) == 20)
        #expect(!old.isFresh(at: now.advanced(by: .seconds(20))))
    }

    @Test("only the prohibitions of CDN-Cache-Control count")
    func targeted() {
        let name = HTTPField.Name("CDN-Cache-Control")!
        #expect(freshness([name: "max-age=900", .cacheControl: "max-age=60"]).lifetime == 60)
        #expect(freshness([name: "max-age=900"]).lifetime == 0)
        #expect(!freshness([name: "no-cache", .cacheControl: "max-age=60"]).isFresh(at: now))
        for prohibition in ["no-store", "private"] {
            #expect(freshness([name: "\(prohibition), max-age=900"]).directives.has(prohibition))
        }
    }

    @Test("an answer that was received in the future is stale, and its age is unknown")
    func future() {
        let control = "max-age=2147483648, stale-while-revalidate=2147483648"
        let later = now.advanced(by: .milliseconds(1))
        let answer = Freshness([.cacheControl: control], requestedAt: later, receivedAt: later)
        #expect(!answer.isFresh(at: now) && !answer.isUsableWhileRevalidating(at: now))
        #expect(answer.age(at: now) == Freshness.unknownAge && answer.secondsLeft(at: now) <= 0)
        #expect(answer.isFresh(at: later))
    }

    @Test("times and ages of any size neither overflow nor make an answer fresh")
    func extremes() {
        let times = [Int64.min, -1, 0, now.milliseconds, .max].map(Timestamp.init(milliseconds:))
        let dates =
            [
                nil, "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
                "Thu, 01 Jan 99999 00:00:00 GMT",
            ] as [String?]
        for requestedAt in times {
            for receivedAt in times {
                for date in dates {
                    for expires in dates {
                        var fields: HTTPFields = [.age: "99999999999999999999"]
                        fields[.date] = date
                        fields[.expires] = expires
                        let freshness = Freshness(fields, requestedAt: requestedAt, receivedAt: receivedAt)
                        for now in times { #expect(!freshness.isFresh(at: now)) }
                    }
                }
            }
        }
    }

    @Test("no-cache is never fresh, and the rules for stale use depend on the kind of cache")
    func directives() {
        #expect(!freshness([.cacheControl: "max-age=60, no-cache"]).isFresh(at: now))
        for control in ["must-revalidate", "no-cache", "proxy-revalidate", "s-maxage=1"] {
            #expect(freshness([.cacheControl: control]).forbidsStale, "\(control)")
        }
        #expect(!freshness([.cacheControl: "private, max-age=60, s-maxage=60"]).forbidsStale)
        #expect(freshness([.cacheControl: "private, must-revalidate"]).forbidsStale)
        #expect(!freshness([.cacheControl: "max-age=1"]).forbidsStale)
    }
}

extension Freshness {
    fileprivate func isFresh(at now: Timestamp) -> Bool { secondsLeft(at: now) > 0 }
}

@Suite("Ranges of bytes")
struct ByteRangeTests {
    @Test(
        "a single range of bytes is supported; anything else is ignored",
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=8-", 8..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
            ("bytes=5-99", 5..<10), ("bytes=10-", 0..<0), ("bytes=-0", 0..<0), ("bytes=5-1", nil),
            ("bytes=0-0,2-3", nil), ("bytes=-", nil), ("lines=1-2", nil), ("bytes=a-b", nil),
            ("bytes=0-99999999999999999999", nil),
        ] as [(String, Range<Int>?)])
    func ranges(_ field: String, _ expected: Range<Int>?) {
        #expect(ByteRange.bytes(field, of: 10) == expected)
    }
}
