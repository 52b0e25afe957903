import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Tests of `patchbay import RESOURCE`, which reads raw rows from files.
@Suite("The import of raw rows", .mayBlock)
struct ImportCommandTests {
    private let command: Command

    init() throws {
        command = try Command()
        try command.write(
            """
            api = shop
            base-url = https://shop.example
            stores.path = /stores
            stores.rows = data/list
            stores.key = id
            stores.handle = slug
            stores.title = name
            stores.edit = name
            stores.field.id = integer
            stores.field.slug = text
            stores.field.name = text?
            stores.field.place = integer @place
            stores.detail.about = text
            items.path = /stores/{stores.id}/items
            items.key = store id
            items.field.store = integer {stores.id}
            items.field.id = text
            notes.path = /stores/{stores.id}/notes
            notes.key = id
            notes.within = store
            notes.field.store = integer {stores.id}
            notes.field.id = integer
            points.path = /points
            points.rows = 1:
            points.key = id
            points.field.id = integer 0
            points.field.name = text 1
            files.path = /files
            files.rows = releases/*/*
            files.key = name
            files.field.name = text
            files.field.version = text @key
            """, to: "shop.conf")
    }

    @discardableResult
    private func run(_ line: String, input: String? = nil) throws -> Command.Outcome {
        var command = command
        command.input = input
        return try command.run(
            line: line,
            ["--source", "rest", "--set", "source.definition=shop.conf"]
                + ["--set", "storage.path=\(command.directory)/shop.sqlite"])
    }

    private func names() throws -> [String] {
        let outcome = try run("search stores a --offline --fields slug --format csv")
        return outcome.output.split(separator: "\n").dropFirst().map(String.init).sorted()
    }

    @Test(
        "arrays, JSON Lines, and one or several answers of the API give the same rows",
        arguments: [
            #"[{"id":1,"slug":"a1"},{"id":2,"slug":"a2"}]"#,
            "{\"id\":1,\"slug\":\"a1\"}\n\n{\"id\":2,\"slug\":\"a2\"}",
            #"{"ok":true,"data":{"n":2,"list":[{"id":1,"slug":"a1"},{"id":2,"slug":"a2"}]},"next":null}"#,
            #"{"data":{"list":[{"id":1,"slug":"a1"}]}}{"data":{"list":[]}}"#
                + "\n" + #"{"data":{"list":{"id":2,"slug":"a2"}}}"#,
            "\u{FEFF}[{\"id\":1,\"slug\":\"a1\"}] [\n{\"id\":2, \"slug\":\"a\\u0032\"}]",
        ])
    func forms(text: String) throws {
        let outcome = try run("import stores -", input: text)
        #expect(outcome.status == 0 && outcome.errors == "2 stores imported\n", "\(outcome.errors)")
        #expect(try names() == ["a1", "a2"])
        #expect(try run("show stores a2 --offline --format json").output.contains(#""place": 1"#))
        // A list that was never fetched shows the stored rows.
        #expect(try run("list stores --offline --fields slug --format csv").output == "slug\na1\na2\n")
    }

    @Test("rows that are arrays are read without their header, from one or several answers")
    func arrays() throws {
        let outcome = try run(
            "import points -", input: #"[["id","name"],[1,"a"]]"# + "\n" + #"[["id","name"],["2","b"]]"#)
        #expect(outcome.status == 0 && outcome.errors == "2 points imported\n", "\(outcome.errors)")
        #expect(
            try run("list points --offline --format csv --fields id,name").output == "id,name\n1,a\n2,b\n")
    }

    @Test("a line break in a handle does not start another line of a message")
    func lineBreak() throws {
        try run("import stores -", input: #"[{"id":1,"slug":"a\nb","name":"One"}]"#)
        let edited = try run("edit stores a\nb name=Mine").errors
        #expect(edited.hasPrefix(#"a\nb is shown as "Mine" ("#), "\(edited)")
        #expect(try run("favourites add stores a\nb").errors == "a\\nb is now a favourite\n")
        #expect(try run("favourites remove stores a\nb").errors == "a\\nb is no longer a favourite\n")
    }

    @Test("an import replaces rows and keeps edits, favourites and details")
    func keeping() throws {
        try run("import stores -", input: #"[{"id":1,"slug":"a1","name":"One","about":"old"}]"#)
        try run("edit stores a1 name=Mine")
        try run("favourites add stores a1")
        try run("import stores -", input: #"[{"id":1,"slug":"a9","name":"Two"}]"#)
        let shown = try run("show stores a9 --offline --format jsonl").output
        #expect(shown.contains(#""name_override":"Mine""#) && shown.contains(#""about":"old""#), "\(shown)")
        #expect(try run("favourites list stores --format csv").output.contains("\n1,a9,Mine,"))
        try run("revert stores a9")
        #expect(try run("show stores a9 --offline --format jsonl").output.contains(#""name":"Two""#))
    }

    @Test(
        "the first row that does not fit is named with its line, byte and field, and those before it are stored"
    )
    func faults() throws {
        let lines = (1...700).map { #"{"id":\#($0),"slug":"a\#($0)"}"# }
        let broken = lines.prefix(650) + [#"{"id":"x","slug":"b"}"#] + lines.suffix(50)
        let byLine = try run("import stores -", input: broken.joined(separator: "\n"))
        #expect(byLine.status == 10)
        #expect(
            byLine.errors.contains("standard input:651: id: expected a whole number, found a string"),
            "\(byLine.errors)")
        #expect(byLine.errors.contains("rows imported before: 650") && byLine.errors.contains("field: id"))
        #expect(try run("storage info --format jsonl").output.contains(#""name":"shop_stores","value":650"#))
        let inArray = try run("import stores -", input: #"[{"id":1,"slug":"a"},{"slug":"b"}]"#)
        #expect(
            inArray.errors.contains("standard input: row 2 at byte 21: id: expected a number, found none"))
        for (text, words) in [
            (#"[{"id":701,"slug":"a"},{"id":2,"#, "the JSON ends at byte 31"),
            (#"[{"id":701,"slug":"a"} {"id":2}]"#, "not JSON: expected ',' at byte 23"),
            (#"[{"id":701,"slug":"a"},{"id":2]}]"#, "row 2 at byte 23"),
        ] {
            let outcome = try run("import stores -", input: text)
            #expect(outcome.status == 10 && outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.errors.contains("rows imported before: 1"), "\(outcome.errors)")
        }
        #expect(try run("storage info --format jsonl").output.contains(#""name":"shop_stores","value":651"#))
    }

    @Test("a row that cannot be stored ends the import, and those before it are stored")
    func unstorable() throws {
        let rows = (1...10).map { id in
            #"{"id":\#(id),"slug":"\#(String(repeating: "x", count: id == 8 ? 600 : id))"}"#
        }
        let outcome = try run("import stores -", input: rows.joined(separator: "\n"))
        #expect(outcome.status == 10)
        #expect(
            outcome.errors.contains("standard input: the store \"xxx")
                && outcome.errors.contains("cannot be stored: ")
                && outcome.errors.contains("rows imported before: 7"), "\(outcome.errors)")
        #expect(try run("storage info --format jsonl").output.contains(#""name":"shop_stores","value":7"#))
    }

    @Test("a folder in place of a file is a wrong value")
    func folderInPlace() throws {
        let outcome = try run("import stores .")
        #expect(outcome.status == 10)
        #expect(
            outcome.errors == "patchbay: \".\" cannot be read: is a directory (rows imported before: 0)\n")
    }

    @Test("rows whose fields come from a parent need --of")
    func parents() throws {
        try run("import stores -", input: #"[{"id":7,"slug":"a7"}]"#)
        let without = try run("import items -", input: #"[{"id":"x"}]"#)
        #expect(
            without.status != 0 && without.errors.contains("name that store with --of\n"),
            "\(without.errors)")
        #expect(try run("import items - --of a7", input: #"[{"id":"x"}]"#).errors == "1 item imported\n")
        #expect(try run("import items - --of a8", input: #"[{"id":"x"}]"#).errors.contains("not stored"))
        #expect(try run("storage export --collection shop_items -").output.contains(#""store":7"#))
    }

    @Test(
        "the list of a parent that was never fetched shows its imported rows",
        arguments: ["items", "notes"])
    func ofParent(_ resource: String) throws {
        try run("import stores -", input: #"[{"id":7,"slug":"a7"},{"id":8,"slug":"a8"}]"#)
        for (store, ids) in [("a7", [3, 1]), ("a8", [2])] {
            let rows = ids.map { resource == "items" ? #"{"id":"\#($0)"}"# : #"{"id":\#($0)}"# }
            try run("import \(resource) - --of \(store)", input: rows.joined(separator: "\n"))
        }
        let list = try run("list \(resource) a7 --offline --fields id --format csv")
        #expect(list.output == "id\n1\n3\n", "\(list.errors)")
    }

    @Test("answers with rows at several places are imported completely")
    func severalPlaces() throws {
        let outcome = try run(
            "import files -",
            input: #"{"releases":{"1.0":[{"name":"f1"}],"2.0":[{"name":"f2"},{"name":"f3"}]}}"#)
        #expect(outcome.errors == "3 files imported\n")
        #expect(
            try run("storage export --collection shop_files -").output.contains(
                #""name":"f3","version":"2.0""#))
    }

    @Test("many rows are stored in several transactions; a row with the key of an earlier one is reported")
    func manyRows() throws {
        let rows = (1...60_000).map { #"{"id":\#($0 % 59000),"slug":"a\#($0)"}"# }
        let outcome = try run("import stores -", input: rows.joined(separator: "\n"))
        #expect(outcome.status == 10)
        #expect(outcome.errors.contains("1000 of 60000 rows have the key of another row; stores.key = id"))
        #expect(outcome.errors.contains("59000"))
        #expect(try run("show stores a1 --offline").status == 0)
        #expect(try run("show stores a59001 --offline").status != 0)
        #expect(try run("import stores -", input: "").status == 10)
    }
}
