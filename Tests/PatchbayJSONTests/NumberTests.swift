import PatchbayJSON
import Testing

@Suite("Numbers")
struct NumberTests {
    private func integer(_ text: String) throws(JSONError) -> Int64 {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        let value = try reader.readInteger()
        try reader.finish()
        return value
    }

    private func double(_ text: String) throws(JSONError) -> Double {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        let value = try reader.readDouble()
        try reader.finish()
        return value
    }

    @Test("integers are exact over the whole range")
    func integers() throws {
        for value in [0, 1, -1, 9, 10, 583_231, .max, .min, .max - 1, .min + 1] as [Int64] {
            #expect(try integer("\(value)") == value)
        }
        #expect(try integer("-0") == 0)
    }

    @Test(
        "a number that is not a 64-bit integer is refused with the reason",
        arguments: [
            ("9223372036854775808", "the number does not fit 64 bits at byte 0"),
            ("-9223372036854775809", "the number does not fit 64 bits at byte 0"),
            ("18446744073709551616", "the number does not fit 64 bits at byte 0"),
            ("99999999999999999999999999999999999999999", "the number does not fit 64 bits at byte 0"),
            ("1.5", "expected a whole number, found a fraction at byte 0"),
            ("-0.1", "expected a whole number, found a fraction at byte 0"),
            ("15e-1", "expected a whole number, found a fraction at byte 0"),
            ("1e-999999999999999999999999", "expected a whole number, found a fraction at byte 0"),
            ("9223372036854775808.5", "expected a whole number, found a fraction at byte 0"),
            ("9223372036854775808.0", "the number does not fit 64 bits at byte 0"),
            ("9.223372036854775808e18", "the number does not fit 64 bits at byte 0"),
            ("1e400", "the number does not fit 64 bits at byte 0"),
            ("1e999999999999999999999999", "the number does not fit 64 bits at byte 0"),
            ("1.", "a number has no digit after '.' or 'e' at byte 2"),
            ("01", "a number starts with a zero at byte 0"),
            ("-01", "a number starts with a zero at byte 1"),
            ("-", "a number has no digit after '-' at byte 1"),
            ("\"1\"", "expected a whole number, found a string at byte 0"),
            ("", "expected a whole number, found the end of the text at byte 0"),
        ])
    func refusedIntegers(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try integer(text) }
        #expect(error?.description == message)
    }

    @Test(
        "the value of a whole number decides, not its spelling",
        arguments: [
            ("47.0", 47), ("4.7e1", 47), ("4.7E+1", 47), ("470e-1", 47), ("-47.000", -47), ("0.0", 0),
            ("-0e5", 0),
            ("0e999999999999999999999999", 0), ("1e18", 1_000_000_000_000_000_000), ("0.00012e5", 12),
            ("9223372036854775807.0", .max), ("-9.223372036854775808e18", .min),
            ("922337203685477580700e-2", .max), ("9007199254740993.0", 9_007_199_254_740_993),
            ("100000000000000000000000e-23", 1),
        ] as [(String, Int64)])
    func spellings(text: String, value: Int64) throws { #expect(try integer(text) == value) }

    @Test(
        "doubles have the nearest value",
        arguments: [
            "0", "-0.0", "1", "-1.5", "0.1", "0.3", "3.141592653589793", "1e22", "1e23", "1e-22", "1e-23",
            "123456789012345e7",
            "123456789012345678", "9007199254740993", "9007199254740993.0000000000001", "1e308",
            "1.7976931348623157e308",
            "5e-324", "2.2250738585072011e-308", "1E+2",
            "12345678901234567890123456789012345678901234567890", "0.000001",
            "0.00000000000000000000000001", "1e000000000000000000000001", "8.5e-7",
            "100000000000000000000000e-23",
        ])
    func doubles(text: String) throws {
        #expect(try double(text) == Double(text))
        #expect(try double(text).sign == (text.hasPrefix("-") ? .minus : .plus))
    }

    @Test("short decimals agree with the standard library")
    func randomDoubles() throws {
        var random = Randomness.fromEnvironment(for: "NumberTests.randomDoubles")
        for _ in 0..<20_000 {
            let whole = UInt64.random(in: 0...9_999_999, using: &random)
            let fraction = UInt64.random(in: 0...99_999_999, using: &random)
            let text = "\(whole).\(fraction)e\(Int.random(in: -30...30, using: &random))"
            #expect(try double(text) == Double(text))
        }
    }

    @Test("a number too large for a double is refused, one too small becomes zero")
    func limits() throws {
        let tooLarge = JSONError(message: "the number is too large", offset: 0)
        #expect(throws: tooLarge) { try double("1e309") }
        #expect(throws: tooLarge) { try double("-1e99999999999999999999") }
        #expect(try double("1e-400") == 0)
        #expect(try double("1e-99999999999999999999") == 0)
        #expect(try double("0e99999999999999999999") == 0)
        #expect(try double("0." + String(repeating: "0", count: 5000) + "1") == 0)
        #expect(throws: JSONError.self) { try double(String(repeating: "9", count: 5000)) }
    }
}
