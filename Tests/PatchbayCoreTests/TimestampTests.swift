import PatchbayCore
import Testing

@Suite("A timestamp")
struct TimestampTests {
    @Test("a time after the last possible one is that, since rows may have any")
    func bounds() {
        let last = Timestamp(milliseconds: .max), first = Timestamp(milliseconds: .min)
        #expect(last.advanced(by: .seconds(30)) == last && first.advanced(by: .seconds(-30)) == first)
        #expect(Timestamp(milliseconds: 1).advanced(by: .seconds(Int64.max)) == last)
        #expect(Timestamp(milliseconds: 1_500).advanced(by: .milliseconds(-1_501)).milliseconds == -1)
    }

    @Test(
        "ISO 8601 is read and written",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2008-01-14T04:33:35Z", 1_200_285_215_000),
            ("2000-02-29T23:59:59Z", 951_868_799_000),
            ("1969-12-31T23:59:59.500Z", -500), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000), ("1900-03-01T00:00:00Z", -2_203_891_200_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("0000-02-29T00:00:00Z", -62_162_121_600_000),
        ] as [(String, Int64)])
    func roundTrip(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test(
        "offsets and fractions are taken into account, and what is absent is zero",
        arguments: [
            ("2008-01-14T06:33:35+02:00", "2008-01-14T04:33:35Z"),
            ("2008-01-13T23:03:35-0530", "2008-01-14T04:33:35Z"),
            ("2008-01-14T04:33:35.123456Z", "2008-01-14T04:33:35.123Z"),
            ("2008-01-14T04:33:35.5Z", "2008-01-14T04:33:35.500Z"),
            ("2008-01-14T04:33:35.123999999Z", "2008-01-14T04:33:35.123Z"),
            ("2008-01-14T06:33:35+02", "2008-01-14T04:33:35Z"),
            ("2008-01-14T04:33Z", "2008-01-14T04:33:00Z"),
            ("2008-01-14T04:33+0200", "2008-01-14T02:33:00Z"),
            ("2008-01-14T04:33:35", "2008-01-14T04:33:35Z"),
            ("2008-01-14 04:33:35.5", "2008-01-14T04:33:35.500Z"),
            ("2008-01-14", "2008-01-14T00:00:00Z"),
            ("2008-01-14t04:33:35z", "2008-01-14T04:33:35Z"),
            ("2008-01-14t06:33:35.5+02:00", "2008-01-14T04:33:35.500Z"),
            ("2008-01-14 04:33:35z", "2008-01-14T04:33:35Z"),
            ("2008-01-14T04:33:35.1234567890123456789Z", "2008-01-14T04:33:35.123Z"),
            ("2008-01-14T04:33:35-00:00", "2008-01-14T04:33:35Z"),
            ("2008-12-31T23:59:60Z", "2009-01-01T00:00:00Z"),
            ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
        ])
    func variants(_ text: String, _ expected: String) { #expect(Timestamp(text)?.description == expected) }

    @Test(
        "a text that is not a date is nil",
        arguments: [
            "", "2008-01", "20080114", "2008-W03-1", "2008-014", "2008-01-14T", "2008-01-14Z",
            "2008-01-14T04", "2008-01-14T04:33:", "2008-01-14T04:33:35,5Z", "2008-01-14T04:33:35 +0200",
            "2008-01-14T04:33:35+2", "2008-01-14T04:33:35+02:", "2008-01-14T04:33:35.Z",
            "2008-01-14  04:33:35", "2008-13-14T04:33:35Z", "2007-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
            "2008-01-14T24:00:00Z",
            "2008-01-14T04:33:35Zx", "2008-01-00T04:33:35Z",
            "２008-01-14T04:33:35Z", "2008-01-14T04:33:35+99:99", "2008-01-14T04:33:35+24:00",
            "2008-01-14T04:33:35-05:60",
        ])
    func refused(_ text: String) { #expect(Timestamp(text) == nil) }

    @Test(
        "a time that no date can represent is still written",
        arguments: [
            (.min, "-292275055-05-16T16:47:04.192Z"), (.max, "292278994-08-17T07:12:55.807Z"),
            (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func farMoments(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("a stored time in the future has no age, and is impossible if nothing waits until then")
    func ahead() {
        let now = Timestamp("2026-10-01T09:00:00Z")!, later = now.advanced(by: .seconds(60))
        #expect(now.storedAge(at: later) == .seconds(60) && now.storedAge(at: now) == .zero)
        #expect(later.storedAge(at: now) == nil)
        #expect(later.isImpossible(at: now, within: .seconds(59)))
        #expect(!later.isImpossible(at: now, within: .seconds(60)))
        #expect(!now.isImpossible(at: later, within: .zero))
    }

    @Test("every day of 800 years is read back as written")
    func everyDay() {
        for day in stride(from: Int64(-146_097), through: 146_097, by: 1) {
            let time = Timestamp(milliseconds: day * 86_400_000 + 1)
            #expect(Timestamp(time.description) == time)
        }
    }
}
