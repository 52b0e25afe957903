import PatchbayJSON
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    @Test("an object is read field by field, and what is not wanted is skipped")
    func object() throws {
        let text: [UInt8] = Array(#" {"login":"octocat","plan":{"a":[1,{}]},"id":583231,"ok":true,"x":null} "#.utf8)
        var reader = JSONReader(text.span.bytes)
        var login = ""
        var id: Int64 = 0
        var isOkay = false
        var wasNull = false
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "login" {
                login = try reader.readString()
            } else if key == "id" {
                id = try reader.readInteger()
            } else if key == "ok" {
                isOkay = try reader.readBool()
            } else if key == "x" {
                wasNull = try reader.readNull()
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
        #expect(login == "octocat" && id == 583231 && isOkay && wasNull)
    }
}
