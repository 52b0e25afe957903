import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("Ages")
struct AgeTests {
    @Test(
        "an age is one number and its unit, rounded down",
        arguments: [
            (.seconds(-5), "just now"), (.zero, "just now"), (.milliseconds(999), "just now"),
            (.seconds(1), "1 s"),
            (.milliseconds(3_900), "3 s"), (.seconds(59), "59 s"), (.seconds(60), "1 min"),
            (.seconds(5 * 60 + 59), "5 min"),
            (.seconds(3_599), "59 min"), (.seconds(3_600), "1 h"), (.seconds(2 * 3_600), "2 h"),
            (.seconds(86_399), "23 h"),
            (.seconds(86_400), "1 day"), (.seconds(4 * 86_400), "4 days"),
            (.seconds(365 * 86_400 - 1), "364 days"),
            (.seconds(365 * 86_400), "1 year"), (.seconds(13 * 366 * 86_400), "13 years"),
            (.seconds(Int64.max / 2), "146235604338 years"),
        ] as [(Duration, String)])
    func text(_ age: Duration, _ expected: String) {
        #expect(Age.text(age) == expected)
    }
}
