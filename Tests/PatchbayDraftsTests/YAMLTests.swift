import PatchbayCore
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayDrafts

@Suite("YAML")
struct YAMLTests {
    private func json(_ yaml: String) throws -> String {
        var writer = JSONWriter()
        writer.value(try YAMLReader.value(Array(yaml.utf8)))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func problem(_ yaml: String) -> String {
        do {
            return "read as \(try json(yaml))"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "a text gives the tree that the same JSON gives",
        arguments: [
            (
                "a: 1\nb:\n- x\n- y\nc: {d: [1, 'two', null], \"e\":f}\n",
                #"{"a":1,"b":["x","y"],"c":{"d":[1,"two",null],"e":"f"}}"#
            ),
            ("- a: 1\n  b: 2\n- - x\n  - y\n-\n  z: 3\n-\n", #"[{"a":1,"b":2},["x","y"],{"z":3},null]"#),
            (
                "a: one\n  two\n\n  three # no\nb: 'it''s\n  folded'\nc: \"x\\ty\\u00e9\\uD83D\\uDE00\\\n  z\"\n",
                #"{"a":"one two\nthree","b":"it's folded","c":"x\ty\#u{E9}\#u{1F600}z"}"#
            ),
            (
                "a: http://b.example/c#d\nb: c:d\ne: -f\ng: a, b [c]\n",
                #"{"a":"http://b.example/c#d","b":"c:d","e":"-f","g":"a, b [c]"}"#
            ),
            ("%YAML 1.2\n---\n# first\na: # second\n  # third\n  b: 1\n...\n", #"{"a":{"b":1}}"#),
            ("\u{FEFF}? a\n: - 1\n  - 2\n? |\n  b\n: c\r\n", #"{"a":[1,2],"b\n":"c"}"#),
            ("a: [\n  1, # one\n  2\n]\nb: {c:\n    d,\n  e: f\n}\n", #"{"a":[1,2],"b":{"c":"d","e":"f"}}"#),
            ("[a: 1, b, {c}]", #"[{"a":1},"b",{"c":null}]"#), ("", "null"), ("--- x\n", #""x""#),
        ])
    func trees(yaml: String, expected: String) throws {
        #expect(try json(yaml) == expected)
    }

    @Test("scalars have the types of the core schema: the country NO is a text")
    func scalars() throws {
        let yaml = """
            [NO, yes, on, true, False, ~, null, 1, -2, +3, 012, 0x1F, 0o17, 1.50, 1., .5, 1e3, 1_000, 12:30, 2020-01-02,
             .inf, 1.2.3, '1', !!str 1, !!int "7", v1]
            """
        #expect(
            try json(yaml)
                == #"["NO","yes","on",true,false,null,null,1,-2,3,12,31,15,1.50,1.0,0.5,1e3,"1_000","12:30","#
                + #""2020-01-02",".inf","1.2.3","1","1",7,"v1"]"#)
    }

    @Test(
        "a block of text keeps or folds its lines as its header says",
        arguments: [
            ("|\n  x\n   y\n\n  z\n\n", #"x\n y\n\nz\n"#), ("|-\n  x\n\n", "x"), ("|+\n  x\n\n", #"x\n\n"#),
            (">\n  x\n  y\n\n  z\n   w\n  v\n", #"x y\nz\n w\nv\n"#), (">-\n  x\n  y\n", "x y"),
            (">+\n  x\n\n", #"x\n\n"#), ("|2\n   x\n  y\n", #" x\ny\n"#), ("|1-\n  x\n", " x"),
            ("|-1 # x\n  y\n", " y"),
            ("|\n\n  # not a comment\n", #"\n# not a comment\n"#), ("|\n", ""), (">\n\n\n  x\n", #"\n\nx\n"#),
        ])
    func blocks(yaml: String, expected: String) throws {
        #expect(try json("a: \(yaml)b: 1\n") == #"{"a":"\#(expected)","b":1}"#)
    }

    @Test("aliases share a value, and merged members give way to the mapping's own")
    func aliases() throws {
        let yaml = """
            base: &base {a: 1, b: 2}
            more: &more
              b: 3
              c: 4
            one:
              <<: *base
              b: 5
            all:
              <<: [*base, *more]
            list: [&x y, *x]
            *x : key
            """
        #expect(
            try json(yaml)
                == #"{"base":{"a":1,"b":2},"more":{"b":3,"c":4},"one":{"b":5,"a":1},"#
                + #""all":{"a":1,"b":2,"c":4},"list":["y","y"],"y":"key"}"#)
    }

    @Test(
        "a text that is wrong or has no meaning in JSON is refused with its line",
        arguments: [
            ("a: 1\nb: 2\na: 3\n", #"line 3: the key "a" is in line 1, too"#),
            ("{a: 1, \"a\": 2}", #"line 1: the key "a" is in line 1, too"#),
            ("a:\n\tb: 1\n", "line 2: a tab is used as indentation; use spaces"),
            ("a:\n  b: 1\n\tc: 2\n", "line 3: a tab is used as indentation; use spaces"),
            (
                "a: 1\n  b: 2\n",
                "line 2: a key is indented more than the value before it; correct the indentation"
            ),
            ("a:\n    b: 1\n  c: 2\n", "line 3: the indentation fits no value before this line"),
            (
                "a: b: c\n",
                "line 1: \": \" is in a value on the same line as its key; put the value in quotes"
            ),
            ("a: 'x\n", "line 1: a text in quotes is not closed"),
            ("a: [1,\n 2\n", "line 1: a list or a mapping in brackets is not closed"),
            ("a: [1 2}\n", "line 1: a comma is missing in brackets"),
            ("a: *b\n", "line 1: no &b comes before *b"),
            ("a: &a [*a]\n", "line 1: *a is inside the value that it names"),
            ("[a]: 1\n", "line 1: a key is a list or a mapping, which JSON cannot express"),
            ("a: @b\n", "line 1: a value cannot begin with @; put the text in quotes"),
            ("a: 1\n---\nb: 2\n", "line 2: a second document begins; keep one document in the file"),
            ("%YAML 2.0\n---\na\n", "line 1: the version of YAML is not 1"),
            (
                "a: \"\\q\"\n",
                "line 1: a text in double quotes has an unknown escape; write \\\\ for a backslash"
            ),
            ("a: 'b' c\n", "line 1: text follows a value on the same line; put the value in quotes"),
            ("a\nb: 1\n", "line 2: a key is indented more than the value before it; correct the indentation"),
            ("a: 1\nb\n", "line 2: a key has no \":\" with a space after it"),
            ("<<: 1\n", "line 1: the value of << is neither a mapping nor a list of mappings"),
        ])
    func refusals(yaml: String, expected: String) {
        #expect(problem(yaml) == expected)
    }

    @Test("bytes that are not UTF-8 are refused")
    func encoding() {
        #expect(throws: YAMLError.self) { try YAMLReader.value([0x61, 0x3A, 0x20, 0xFF]) }
    }

    @Test("depth has a limit")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{a: ", "}")] {
            let fits = String(repeating: open, count: 100) + String(repeating: close, count: 100)
            #expect(try json(fits).count >= 200)
            let deep = String(repeating: open, count: 100_000)
            #expect(problem(deep) == "line 1: the values are nested more than 256 levels deep")
        }
        let dashes = String(repeating: "- ", count: 100_000)
        #expect(problem(dashes) == "line 1: the values are nested more than 256 levels deep")
    }

    @Test("aliases of aliases that stand for 10^22 values are refused at once")
    func bomb() {
        var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...21 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            yaml += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(
            problem(yaml)
                == "line 7: the text stands for more than 4000000 values, with those that aliases repeat")
        yaml = "m0: &m0 {a: 1}\n"
        for level in 1...40 { yaml += "m\(level): &m\(level)\n  k: *m\(level - 1)\n  l: *m\(level - 1)\n" }
        #expect(problem(yaml).contains("more than 4000000 values"))
    }

    @Test("no text traps, whatever its bytes are")
    func noise() {
        var random = SeededGenerator.fromEnvironment()
        let pieces = [
            "a", ": ", "\n", "  ", "- ", "?", "|", ">", "'", "\"", "\\", "[", "]", "{", "}", ",", "&x", "*x",
            "!!int", "#", "\t", "\r\n", "---", "...", "%", "<<", "1", "+", "é",
        ]
        let seed = random.seed
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                text += pieces.randomElement(using: &random)!
            }
            do { _ = try YAMLReader.value(Array(text.utf8)) } catch {
                #expect(error.line >= 1, "seed \(seed): \(text)")
            }
        }
    }

    @Test("a JSON text is YAML, too, with the same value")
    func json() throws {
        var random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        for _ in 0..<500 {
            var writer = JSONWriter(indentation: Bool.random(using: &random) ? 2 : nil)
            writer.value(Self.value(4, &random))
            let bytes = writer.bytes
            var again = JSONWriter(indentation: nil), expected = JSONWriter(indentation: nil)
            again.value(try YAMLReader.value(bytes))
            expected.value(try JSONValue(bytes))
            #expect(again.bytes == expected.bytes, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static func value(_ depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        let texts = ["", "a b", "no", "12", "x: y", "- z", "é\u{1F600}", "q\"\\\n\t", "#", "[", "~"]
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2:
            return .number(
                ["0", "-1", "12.50", "1e9", "123456789012345678901"].randomElement(using: &random)!)
        case 3, 4: return .text(texts.randomElement(using: &random)!)
        case 5:
            return .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth - 1, &random) })
        default:
            let names = texts.shuffled(using: &random).prefix(Int.random(in: 0..<4, using: &random))
            return .object(names.map { (name: $0, value: value(depth - 1, &random)) })
        }
    }
}
