import Foundation
import PatchbayCore
import PatchbayGateway
@testable import PatchbayTestKit
import Synchronization
import Testing

@Suite("Export and import") struct TransferTests {
    private let folder = Result { try StorageFolder() }

    private func export(_ store: Store, _ collection: CollectionSchema?, _ format: TransferFormat)
        async throws
        -> [UInt8]
    {
        var text: [UInt8] = []
        let exported = try await ExportRows(store, collection, as: format).run { text += $0 }
        #expect(!exported.changedMeanwhile)
        return text
    }

    /// Imports the text in pieces of `pieceBytes`.
    @discardableResult
    private func importText(
        _ text: [UInt8], into store: Store, _ collection: CollectionSchema? = nil,
        _ format: TransferFormat = .jsonl,
        pieceBytes: Int = 7
    ) async throws -> Int {
        let rest = Mutex(text[...])
        return try await ImportRows(store, collection, as: format, name: "rows.txt").run { bytesMax in
            rest.withLock { rest in
                defer { rest = rest.dropFirst(min(bytesMax, pieceBytes)) }
                return Array(rest.prefix(min(bytesMax, pieceBytes)))
            }
        }
    }

    @Test("exporting, importing and exporting again produces the same bytes over every storage")
    func roundTrip() async throws {
        let folder = try folder.get()
        let model = try await folder.store("memory", "model")
        try await Hostile.fill(model.storage)
        let all = try await export(model, nil, .jsonl)
        for plugin in StorageFolder.all {
            let store = try await folder.store(plugin, plugin)
            let count = try await importText(all, into: store, pieceBytes: 1_000)
            #expect(count == Hostile.people.count + Hostile.pages.count + Hostile.issues.count)
            #expect(try await export(store, nil, .jsonl) == all, "\(plugin)")
            for collection in Sample.schema.collections {
                for format in TransferFormat.allCases {
                    let text = try await export(store, collection, format)
                    try await store.storage.write { try $0.deleteAll(in: collection) }
                    try await importText(text, into: store, collection, format)
                    #expect(
                        try await export(store, collection, format) == text,
                        "\(plugin) \(collection.name) \(format)")
                }
                let digest = try await model.storage.digest(of: collection)
                #expect(try await store.storage.digest(of: collection) == digest)
            }
            try await store.close()
        }
    }

    @Test("the formats match their documentation")
    func golden() async throws {
        let store = try await folder.get().store("memory", "model")
        try await store.storage.put(
            [
                [
                    .integer(.max), "a\"b", "", .integer(-1), nil, 0.1, .real(-.infinity),
                    .bytes([0, 255, 1]),
                    .bytes([]),
                ], [1, "c,d", nil, 2, 3, 4.0, nil, .bytes([]), nil],
            ], in: Sample.people)
        #expect(
            String(decoding: try await export(store, Sample.people, .csv), as: UTF8.self) == """
                id,login,name,stars,team,score,ratio,photo,note
                1,"c,d",,2,3,4.0,,"",
                9223372036854775807,"a""b","",-1,,0.1,-Infinity,AP8B,""

                """)
        let lines = String(decoding: try await export(store, nil, .jsonl), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.count == 5)
        #expect(lines[2] == "{\"_collection\":\"people\",\"_definition\":\"\(Sample.people.definition)\"}")
        #expect(lines[3] == #"{"id":1,"login":"c,d","stars":2,"team":3,"score":4.0,"photo":""}"#)
        #expect(
            lines[4] == #"{"id":"9223372036854775807","login":"a\"b","name":"","stars":-1,"score":0.1,"#
                + #""ratio":"-Infinity","photo":"AP8B","note":""}"#)
    }

    @Test(
        "an imported row replaces the one with its key; numbers may be texts, and lines may end in CR LF")
    func replaces() async throws {
        let store = try await folder.get().store("memory", "model")
        try await store.storage.put(
            [Sample.page("a", visits: 1), Sample.page("b", visits: 2)], in: Sample.pages)
        let text =
            "\u{FEFF}{\"address\":\"a\",\"visits\":\"5\",\"etag\":null}\r\n\r\n{\"visits\":6, \"address\":\"c\"}"
        #expect(try await importText(Array(text.utf8), into: store, Sample.pages) == 2)
        let rows = try await store.storage.rows(Query(Sample.pages))
        #expect(
            rows == [Sample.page("a", visits: 5), Sample.page("b", visits: 2), Sample.page("c", visits: 6)])
        let csv = "visits,address\r\n7,\"a\r\nb\"\r\n"
        #expect(try await importText(Array(csv.utf8), into: store, Sample.pages, .csv) == 1)
        #expect(try await importText(Array((csv + "\r\n\n").utf8), into: store, Sample.pages, .csv) == 1)
        #expect(
            try await store.storage.values("a\r\nb", in: Sample.pages) == Sample.page("a\r\nb", visits: 7))
    }

    @Test(
        "the error for a bad line contains the file, the line and the number of rows imported before",
        arguments: [
            ("{\"adress\":\"a\"}", "rows.txt:2: pages has no field \"adress\" (did you mean \"address\"?)"),
            ("{\"address\":\"a\"}", "rows.txt:2: pages.visits must have a value"),
            ("{\"address\":\"a\",\"visits\":1.5}", "rows.txt:2: expected a whole number"),
            ("{\"address\":\"a\",\"visits\":\"1x\"}", "rows.txt:2: visits is not a whole number of 64 bits"),
            ("{\"address\":7,\"visits\":1}", "rows.txt:2: expected a string, found a number at byte 11"),
            (
                "{\"address\":\"a\",\"visits\":1,\"visits\":2}",
                "rows.txt:2: the field \"visits\" occurs twice"
            ),
            ("{\"address\":\"a\\u0000\",\"visits\":1}", "rows.txt:2: address holds U+0000"),
            ("{\"address\":\"a\",\"visits\":1", "rows.txt:2: expected ',' or '}', found the end of the text"),
            ("[]", "rows.txt:2: expected an object"),
            ("{\"_collection\":\"people\"}", "rows.txt:2: here begin rows of \"people\", not of \"pages\""),
            ("{\"_crc\":\"0\"}", "rows.txt:2: pages has no field \"_crc\""),
        ])
    func badLines(_ line: String, _ message: String) async throws {
        let store = try await folder.get().store("memory", "model")
        let text = "{\"address\":\"first\",\"visits\":1}\n" + line + "\n"
        let error = await #expect(throws: PatchbayError.self) {
            try await importText(Array(text.utf8), into: store, Sample.pages)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
        #expect(error?.rowsImported == 0)
        #expect(try await store.storage.rows(Query(Sample.pages)).isEmpty)
    }

    @Test("a field with 500,000 lines is read to its end")
    func manyLines() async throws {
        let store = try await folder.get().store("memory", "model")
        let lines = String(repeating: "\n", count: 500_000)
        let text = Array("address,visits,etag\na,1,\"\(lines)\"\n".utf8)
        let error = await #expect(throws: PatchbayError.self) {
            try await importText(text, into: store, Sample.pages, .csv, pieceBytes: 65_536)
        }
        let told = "rows.txt:500002: the key of pages.by_etag has 500004 bytes"
        #expect(error?.message.hasPrefix(told) == true, "\(String(describing: error))")
    }

    @Test(
        "the error for bad CSV contains the line",
        arguments: [
            ("address,visit\n", "rows.txt:1: pages has no field \"visit\" (did you mean \"visits\"?)"),
            ("address,visits\na\n", "rows.txt:2: the line has 1 fields, but the first line names 2"),
            ("address,visits\na,b\n", "rows.txt:2: visits is not a whole number of 64 bits"),
            ("address,visits\na,1\n\"b,1\n", "rows.txt:3: the quote that is opened here is not closed"),
            ("address,visits\na\"b,1\n", "rows.txt:2: "),
            ("address,visits\n\"a\"b,\"1\"\n", "rows.txt:2: a quoted field continues"),
            ("address,visits\n,1\n", "rows.txt:2: pages.address must have a value"),
            ("visits,visits\n", "rows.txt:1: the field \"visits\" occurs twice"),
        ])
    func badCSV(_ text: String, _ message: String) async throws {
        let store = try await folder.get().store("memory", "model")
        let error = await #expect(throws: PatchbayError.self) {
            try await importText(Array(text.utf8), into: store, Sample.pages, .csv)
        }
        #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
    }

    @Test(
        "a file of other collections is refused",
        arguments: [
            ("{\"address\":\"a\",\"visits\":1}", "no line before this row names its collection"),
            (
                "{\"_collection\":\"pags\"}",
                "there is no collection \"pags\" (did you mean \"pages\"?), and the line"
            ),
            (
                "{\"_collection\":\"pages\",\"_definition\":\"pages(address text, visits text; key address)\"}",
                "pages.visits is text in the file and integer here"
            ),
            (
                "{\"_collection\":\"pages\",\"_definition\":\"pages(address text, color text; key address)\"}",
                "pages has no field \"color\""
            ),
            (
                "{\"_collection\":\"pags\",\"_definition\":\"pags(a text; key a)\"}",
                "the storage has no collection \"pags\""
            ),
            (
                "{\"_collection\":\"pags\",\"_definition\":\"pages(a text; key a)\"}",
                "the definition of \"pags\" is damaged"
            ),
            (
                "{\"_collection\":\"patchbay_copies\"}",
                "there is no collection \"patchbay_copies\""
            ),
            (
                "{\"_collection\":\"pages\",\"_definition\":\"pages(\"}",
                "the definition of \"pages\" is damaged"
            ),
        ])
    func otherCollections(_ line: String, _ message: String) async throws {
        let store = try await folder.get().store("memory", "model")
        let error = await #expect(throws: PatchbayError.self) {
            try await importText(Array(line.utf8), into: store)
        }
        #expect(error?.message.hasPrefix("rows.txt:1: " + message) == true, "\(String(describing: error))")
    }

    @Test("complete batches before a bad line are imported, and the error contains their number of rows")
    func batches() async throws {
        let store = try await folder.get().store("memory", "model")
        var text = ""
        for number in 0..<25_000 { text += "{\"address\":\"\(number)\",\"visits\":1}\n" }
        let error = await #expect(throws: PatchbayError.self) {
            try await importText(Array((text + "bad\n").utf8), into: store, Sample.pages, pieceBytes: 100_000)
        }
        #expect(error?.message.hasPrefix("rows.txt:25001: ") == true)
        #expect(error?.rowsImported == 20_000)
        #expect(try await store.read { try $0.count(Query(Sample.pages)) } == 20_000)
        let lines = try await export(store, Sample.pages, .jsonl).count { $0 == UInt8(ascii: "\n") }
        #expect(lines == 20_000)
    }

    @Test(
        "a row with other values for the key of an earlier one is refused, and so is half of a surrogate pair",
        arguments: [
            (#"{"address":"a","visits":1}"# + "\n" + #"{"address":"a","visits":1}"#, nil),
            (#"{"address":"a","visits":1}"# + "\n" + #"{"address":"a","visits":2}"#, "2: a line before"),
            (#"{"address":"a","visits":1,"body":"x\ud83d\ude00"}"#, nil),
            (#"{"address":"a","visits":1,"body":"x\ud83dy"}"#, "1: body holds half of a surrogate pair"),
        ] as [(String, String?)])
    func doubtful(_ text: String, _ problem: String?) async throws {
        let store = try await folder.get().store("memory", "model")
        do {
            try await importText(Array(text.utf8), into: store, Sample.pages)
            #expect(problem == nil)
        } catch let error as PatchbayError {
            #expect(error.message.hasPrefix("rows.txt:" + (problem ?? "none")), "\(error)")
        }
        #expect(try await store.read { try $0.count(Query(Sample.pages)) } == (problem == nil ? 1 : 0))
    }

    @Test("CSV of several collections is refused")
    func severalInCSV() async throws {
        let store = try await folder.get().store("memory", "model")
        #expect(throws: PatchbayError.self) { try ExportRows(store, nil, as: .csv) }
        #expect(throws: PatchbayError.self) { try ImportRows(store, nil, as: .csv, name: "x") }
    }
}
