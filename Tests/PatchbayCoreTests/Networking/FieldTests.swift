import HTTPTypes
@testable import PatchbayCore
import Testing

@Suite("Header fields")
struct FieldTests {
    @Test("a field has the value that the subscript returns, and nil if it is absent")
    func values() {
        let fields: HTTPFields = [.accept: "a", .vary: "b", .accept: "c"]
        #expect(fields.value(of: .accept) == "a, c")
        #expect(fields.value(of: .vary) == "b")
        #expect(fields.value(of: .server) == nil)
    }

    @Test("shared fields contain a name or none of another list, whatever the lengths and the case of names")
    func sharedFields() {
        let shared = SharedFields([.eTag: "1", .date: "now", .contentType: "text/plain"])
        #expect(shared.contains(.date) && shared.contains(HTTPField.Name("DATE")!))
        // The first has the length of two that are there.
        #expect(!shared.contains(.vary) && !shared.contains(.via))
        #expect(shared.containsAny(of: SharedFields([.vary: "x", .eTag: "2"])))
        #expect(!shared.containsAny(of: SharedFields([.vary: "x", .server: "2"])))
        #expect(!shared.containsAny(of: SharedFields([:])))
        #expect(String(decoding: shared.encoded, as: UTF8.self).hasPrefix("ETag: 1\r\nDate: now\r\n"))
    }

    @Test("the first byte that meets a condition is found in texts of any length")
    func offsets() {
        for text in ["", "a", "?", "abc?", "a text that is too long for fifteen bytes?", "é?"] {
            let isMeant = { (byte: UInt8) in byte == UInt8(ascii: "?") }
            #expect(text.utf8.offset(where: isMeant) == Array(text.utf8).firstIndex(where: isMeant))
        }
    }
}
