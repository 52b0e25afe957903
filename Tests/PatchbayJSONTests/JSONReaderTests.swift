import PatchbayJSON
import Testing

@Suite("Reading JSON")
struct JSONReaderTests {
    @Test("an object is read field by field, and unneeded fields are skipped")
    func object() throws {
        let text = Array(#" {"login":"octocat","plan":{"a":[1,{}]},"id":58,"ok":true,"x":null} "#.utf8)
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
        #expect(login == "octocat" && id == 58 && isOkay && wasNull)
        #expect(reader.offset == text.count)
    }

    @Test("a key in a known place is taken only if it is written exactly so")
    func expectedKeys() throws {
        let keys = JSONKeyTexts(["id", "id2", "a_long_name", "a_long_name_2", "eighteen"])
        let text = #"{"id":1,"a_long_name":2,"a_long_name_2" :3,"eighteen":4}"#, bytes = Array(text.utf8)
        var reader = JSONReader(bytes.span.bytes)
        var taken: [String] = []
        try reader.beginObject()
        for index in [1, 0, 0, 3, 2, 3] where reader.takeKey(keys[index]) {
            taken.append("\(index): \(try reader.readInteger())")
        }
        let spaced = try reader.nextKey()?.string()
        try reader.skipValue()
        for index in [3, 4, 4] where reader.takeKey(keys[index]) {
            taken.append("\(index): \(try reader.readInteger())")
        }
        let next = try reader.nextKey()?.string()
        try reader.finish()
        #expect(taken == ["0: 1", "2: 2", "4: 4"])
        #expect(spaced == "a_long_name_2")
        #expect(next == nil)
    }

    @Test("a duplicate key is returned twice, in the order of the text")
    func duplicateKeys() throws {
        let text = Array(#"{"a":1,"a":2}"#.utf8)
        var reader = JSONReader(text.span.bytes)
        var values: [Int64] = []
        try reader.beginObject()
        while let key = try reader.nextKey(), key == "a" { values.append(try reader.readInteger()) }
        try reader.finish()
        #expect(values == [1, 2])
    }

    @Test("peek returns the kind and consumes nothing")
    func peek() throws {
        let kinds: [(String, JSONReader.Kind)] = [
            ("{", .object), ("[", .array), ("\"", .string), ("1", .number), ("-", .number), ("true", .bool),
            ("false", .bool), ("null", .null), ("", .end), (" \n", .end),
        ]
        for (text, kind) in kinds {
            let bytes = Array(text.utf8)
            var reader = JSONReader(bytes.span.bytes)
            #expect(try reader.peek() == kind)
            #expect(try reader.peek() == kind)
        }
    }

    @Test("reading another kind than the text contains is refused, and the reader does not move")
    func mismatch() throws {
        let text = Array(#"[{"login": 17}]"#.utf8)
        var reader = JSONReader(text.span.bytes)
        try reader.beginArray()
        #expect(try reader.nextElement())
        try reader.beginObject()
        let isKey = try reader.nextKey() != nil
        #expect(isKey)
        let messages = [
            message { () throws(JSONError) in _ = try reader.readString() },
            message { () throws(JSONError) in _ = try reader.readBool() },
            message { () throws(JSONError) in try reader.beginArray() },
            message { () throws(JSONError) in try reader.beginObject() },
        ]
        let expected = ["a string", "true or false", "an array", "an object"]
        #expect(messages == expected.map { "expected \($0), found a number at byte 11" })
        #expect(try !reader.readNull())
        #expect(try reader.readInteger() == 17)
    }

    @Test("messages state what was expected and what was found")
    func messages() {
        let cases = [
            ("", "expected a value, found the end of the text at byte 0"),
            ("[1 2]", "expected ',' or ']', found a number at byte 3"),
            (#"{"a":1 "b":2}"#, "expected ',' or '}', found a string at byte 7"),
            (#"{"a":1,}"#, "expected a key, found '}' at byte 7"),
            (#"{"a"1}"#, "expected ':', found a number at byte 4"),
            ("[1,]", "expected a value, found ']' at byte 3"),
            ("1 1", "expected the end of the text, found a number at byte 2"),
            ("\u{FEFF}1", "expected a value, found a byte order mark at byte 0"),
            ("[\u{1}", "expected a value, found the byte 0x01 at byte 1"),
            ("[nul]", "found a word other than true, false and null at byte 1"),
            ("01", "a number starts with a zero at byte 0"),
            ("-", "a number has no digit after '-' at byte 1"),
            ("1.", "a number has no digit after '.' or 'e' at byte 2"),
            ("\"abc", "a string has no closing quote at byte 4"),
            ("\"a\n\"", "a string contains a control character that is not escaped at byte 2"),
            (#""a\x""#, "a string contains an unknown escape at byte 2"),
            (#""\u12""#, "a string contains '\\u' without four hexadecimal digits at byte 1"),
        ]
        for (text, expected) in cases {
            #expect(mistake(in: Array(text.utf8))?.description == expected)
        }
    }

    @Test("a text that ends inside an array is not finished")
    func finishInside() throws {
        let text = Array("[1".utf8)
        var reader = JSONReader(text.span.bytes)
        try reader.beginArray()
        _ = try reader.nextElement()
        _ = try reader.readInteger()
        #expect(message { () throws(JSONError) in try reader.finish() } != nil)
    }

    @Test("a reader used without regard to the structure throws and never reads outside the bytes")
    func misuse() {
        for text in ["]", "}", "]]]]", "{}}", "[}", "{]", ",", "", "[", "{\"a\":"] {
            let bytes = Array(text.utf8)
            for first in 0..<4 {
                var reader = JSONReader(bytes.span.bytes)
                for step in first..<first + 12 { try? misuse(&reader, step: step) }
                #expect(reader.offset <= bytes.count)
            }
        }
    }

    private func misuse(_ reader: inout JSONReader, step: Int) throws(JSONError) {
        switch step % 4 {
        case 0: _ = try reader.nextElement()
        case 1: _ = try reader.nextKey()
        case 2: try reader.beginArray()
        default: try reader.beginObject()
        }
    }

    private func message(_ body: () throws(JSONError) -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return error.description
        }
    }
}
