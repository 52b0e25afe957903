import Testing

@testable import PatchbayCompare

@Suite("Figures in reports")
struct QuantityTests {
    @Test(
        "decimals have three digits and no exponent",
        arguments: [
            (0.0, "0"), (1, "1"), (1.2345, "1.23"), (12.345, "12.3"), (123.45, "123"), (12_345.6, "12346"),
            (0.012345, "0.0123"),
            (9.999, "10"), (99.96, "100"), (0.9999999, "1"), (-2.5, "-2.5"), (-0.0001, "-0.0001"),
            (1e-12, "0"),
            (.infinity, "–"), (.nan, "–"), (1e300, "–"),
        ])
    func decimal(_ number: Double, _ text: String) { #expect(Quantity.decimal(number) == text) }

    @Test(
        "thousands are separated by commas",
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"),
            (.min, "-9,223,372,036,854,775,808"),
        ])
    func count(_ number: Int, _ text: String) { #expect(Quantity.count(number) == text) }

    @Test("rates, times and sizes have the unit that leaves one to three whole digits")
    func units() {
        #expect(Quantity.rate(0.2134) == "0.213 /s")
        #expect(Quantity.rate(99.95) == "100 /s")
        #expect(Quantity.rate(999.7) == "1.00 k/s")
        #expect(Quantity.rate(1_213_000) == "1.21 M/s")
        #expect(Quantity.time(nanoseconds: 712) == "712 ns")
        #expect(Quantity.time(nanoseconds: 4_400) == "4.40 µs")
        #expect(Quantity.time(seconds: 0.0012) == "1.20 ms")
        #expect(Quantity.time(seconds: 31.4) == "31.4 s")
        #expect(Quantity.bytes(512) == "512 B")
        #expect(Quantity.bytes(1_230_000) == "1.23 MB")
        #expect(Quantity.bytes(0) == "0 B")
        #expect(Quantity.bytes(0.0173) == "< 1 B")
        #expect(Quantity.bytes(0.9999) == "1.00 B")
        #expect(Quantity.shortCount(1_000_000) == "1 M")
        #expect(Quantity.shortCount(2_500) == "2.5 k")
    }

    @Test("factors")
    func factors() {
        #expect(Quantity.factor(5.83) == "5.8×")
        #expect(Quantity.factor(2_274.4) == "2,274×")
    }
}
