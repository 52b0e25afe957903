import PatchbayCore
import Testing

@Suite("Values of header fields")
struct FieldValueReaderTests {
    @Test(
        "a quoted string ends at the same mark, and a backslash escapes",
        arguments: [
            (#""a, b"rest"#, "a, b", true), (#""a\"b\\""#, #"a"b\"#, true),
            ("'it \"is\"'", "it \"is\"", true), (#""no end"#, "no end", false),
            (#""no end\"#, #"no end\"#, false), ("\"", "", false),
        ])
    func quoted(_ value: String, _ text: String, _ isClosed: Bool) {
        var reader = FieldValueReader(value)
        let read = reader.quoted()
        #expect(read.text == text)
        #expect(read.isClosed == isClosed)
    }

    @Test(
        "elements end at commas outside of quotes",
        arguments: [
            ("", []), (" , ,\t", []), ("a,b", ["a", "b"]), (" a=\"1,2\" , b ", ["a", "b"]),
            ("a \"no end, b", ["a"]),
        ] as [(String, [String])])
    func elements(_ value: String, _ starts: [String]) {
        var reader = FieldValueReader(value), read: [String] = []
        while reader.skipToElement() {
            read.append(reader.text { $0.isASCIIAlphanumeric })
            reader.skipElement()
        }
        #expect(read == starts)
    }
}
