import PatchbayCore
@testable import PatchbayTestKit
import Testing

private func fault(_ bytes: [UInt8], _ collection: CollectionSchema) -> String? {
    unsafe RowView.check(bytes.span.bytes, collection)
}

@Suite("rows") struct RowTests {
    private static let full: Values = [
        7, "login", "n\u{E9}", -3, 9, 0.25, .real(-.infinity), .bytes([0, 255]), .bytes([]),
    ]

    private static func bytes(_ values: Values, _ collection: CollectionSchema = Sample.people) throws
        -> [UInt8]
    {
        var builder = RowBuilder()
        builder.begin(collection)
        for (position, value) in values.enumerated() { value.write(to: &builder, at: position) }
        return try builder.finish().copyBytes()
    }

    @Test("a row returns what was written, null or not")
    func roundTrip() throws {
        for values in [RowTests.full, Sample.person(1)] {
            let bytes = try RowTests.bytes(values)
            #expect(fault(bytes, Sample.people) == nil)
            let row = unsafe RowView(unchecked: bytes.span.bytes)
            let read = row.values(Sample.people, .all)
            #expect(read == values)
            let sizes = [row.fieldCount, row.byteCount], copy = row.copyBytes()
            #expect(sizes == [9, bytes.count] && copy == bytes)
        }
    }

    @Test("a builder discards the previous row")
    func reuse() throws {
        var builder = RowBuilder()
        for values in [RowTests.full, Sample.person(2), RowTests.full] {
            builder.begin(Sample.people)
            for (position, value) in values.enumerated() { value.write(to: &builder, at: position) }
            let row = try builder.finish()
            let read = row.values(Sample.people, .all)
            #expect(read == values)
        }
    }

    @Test("a field set twice, or set and then null, has the last value")
    func setTwice() throws {
        var builder = RowBuilder()
        builder.begin(Sample.pages)
        builder.set(0, "first, longer")
        builder.set(0, "second")
        builder.set(1, "etag")
        builder.setNull(1)
        builder.set(2, 1 as Int64)
        builder.set(2, 2 as Int64)
        let row = try builder.finish()
        let read = row.values(Sample.pages, .all)
        #expect(read == Sample.page("second", visits: 2))
    }

    @Test("a row of an older schema reads null in missing fields")
    func olderRow() throws {
        let old = CollectionSchema("people", key: 0, fields: Array(Sample.people.fields.prefix(2)))
        let bytes = try RowTests.bytes([5, "ann"], old)
        let optional = CollectionSchema(
            "people", key: 0, fields: old.fields + [Field("name", .text, isOptional: true)])
        #expect(fault(bytes, optional) == nil)
        let row = unsafe RowView(unchecked: bytes.span.bytes)
        let read = row.values(optional, .all)
        #expect(read == [5, "ann", nil])
        let (isNull, integer, text) = (row.isNull(2), row.integer(2), row.text(2))
        #expect(isNull && integer == 0 && text.isEmpty)
        #expect(fault(bytes, Sample.people) == "a required field is null")
    }

    @Test("U+0000 is refused in every position, and no other character is mistaken for it")
    func zeroAnywhere() throws {
        let collection = CollectionSchema("texts", key: 0, fields: [Field("text", .text)])
        for count in 0..<20 {
            for place in 0...count {
                // Bytes from 0x01 to 0xC3, whose top bit must not be mistaken for a zero.
                var text = Array(String(repeating: "\u{1}é", count: count).unicodeScalars.prefix(count))
                var builder = RowBuilder()
                builder.begin(collection)
                builder.set(0, String(String.UnicodeScalarView(text)))
                _ = try builder.finish()
                text.insert("\0", at: place)
                builder.begin(collection)
                builder.set(0, String(String.UnicodeScalarView(text)))
                do {
                    _ = try builder.finish()
                    Issue.record("accepted U+0000 at \(place) of \(count)")
                } catch {
                    #expect((error as? PatchbayError)?.code == .invalidValue)
                }
            }
        }
    }

    @Test("zeros in bytes are kept, and do not hide U+0000 in an adjacent text")
    func zeroInBytes() throws {
        let collection = CollectionSchema(
            "files", key: 0,
            fields: [Field("name", .text), Field("bytes", .bytes), Field("note", .text, isOptional: true)])
        let zeros: [UInt8] = [0, 1, 0]
        var builder = RowBuilder()
        for note in [nil, "plain", "with \0"] as [String?] {
            builder.begin(collection)
            builder.set(0, "name")
            unsafe builder.set(1, bytes: zeros.span.bytes)
            if let note { builder.set(2, note) }
            do {
                let row = try builder.finish()
                #expect(note?.contains("\0") != true)
                #expect([UInt8](row, at: 1) == zeros)
            } catch let error as PatchbayError {
                #expect(note?.contains("\0") == true)
                #expect(error.message == "files.note contains U+0000, which is not allowed in text")
            }
        }
    }

    @Test("56 fields fit, each null or not")
    func widest() throws {
        let fields = (0..<Limits.fields).map { Field("f\($0)", .integer, isOptional: $0 > 0) }
        let wide = CollectionSchema("wide", key: 0, fields: fields)
        let values = (0..<Limits.fields).map { $0 % 3 == 1 ? FieldValue.null : .integer(Int64($0)) }
        let bytes = try RowTests.bytes(values, wide)
        #expect(fault(bytes, wide) == nil)
        let row = unsafe RowView(unchecked: bytes.span.bytes)
        let read = row.values(wide, .all)
        #expect(read == values)
    }

    @Test("reading a null field, or a field as another type, returns a harmless value")
    func wrongReads() throws {
        let bytes = try RowTests.bytes(RowTests.full)
        let row = unsafe RowView(unchecked: bytes.span.bytes)
        for position in 0..<60 {
            _ = (row.integer(position), row.real(position), row.text(position), row.isNull(position))
        }
        let text = row.text(3)
        #expect(text.isEmpty)
    }

    @Test("columns read and write their Swift types")
    func columns() throws {
        let id = RowColumn<Int64>(0, "id"), isOn = RowColumn<Bool>(1, "is_on"),
            name = RowColumn<String?>(2, "name")
        let photo = RowColumn<[UInt8]>(3, "photo"), share = RowColumn<Double>(4, "share")
        let things = CollectionSchema(
            "things", key: 0, fields: [id.field, isOn.field, name.field, photo.field, share.field])
        #expect(things.fields[2].isOptional && things.fields[1].type == .integer)
        var builder = RowBuilder()
        builder.begin(things)
        builder[id] = 4
        builder[isOn] = true
        builder[name] = nil
        builder[photo] = [1, 2]
        builder[share] = 0.5
        let row = try builder.finish()
        let isSame = [
            row[id] == 4, row[isOn], row[name] == nil, row[photo] == [1, 2], row[share] == 0.5,
        ]
        #expect(!isSame.contains(false))
    }
}

@Suite("damaged rows") struct RowCheckTests {
    private let rounds = Environment.value(of: "PATCHBAY_FUZZ_ROUNDS").flatMap { Int($0) } ?? 3_000

    @Test("every truncation of a row is detected, and no damage crashes a reader")
    func damage() throws {
        var generator = SeededGenerator.fromEnvironment(), builder = RowBuilder()
        builder.begin(Sample.people)
        for (position, value) in Sample.person(1, "login", name: "name").enumerated() {
            value.write(to: &builder, at: position)
        }
        let whole = try builder.finish().copyBytes()
        for count in 0..<whole.count { #expect(fault(Array(whole[..<count]), Sample.people) != nil) }
        for _ in 0..<rounds {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            guard fault(bytes, Sample.people) == nil else { continue }
            let row = unsafe RowView(unchecked: bytes.span.bytes)
            let count = row.values(Sample.people, .all).count
            #expect(count == 9)
        }
    }

    @Test("a stored NaN is damage")
    func storedNaN() throws {
        let points = CollectionSchema("points", key: 0, fields: [Field("id", .integer), Field("x", .real)])
        var builder = RowBuilder()
        builder.begin(points)
        builder.set(0, 1 as Int64)
        builder.set(1, 1.5)
        var bytes = try builder.finish().copyBytes()
        bytes[22...23] = [0xF8, 0x7F]
        #expect(fault(bytes, points) == "x is not a number")
    }
}

@Suite("row builder") struct RowBuilderTests {
    @Test("refuses values that cannot be stored, and names the field")
    func refuses() {
        let faults: [(Int, FieldValue, String)] = [
            (5, .real(.nan), "people.score is not a number (NaN), which cannot be stored"),
            (2, "a\0", "people.name contains U+0000, which is not allowed in text"),
            (1, nil, "people.login must have a value"),
            (7, .bytes(Array(repeating: 1, count: Limits.rowBytes)), "a row of people has 16777303 bytes"),
        ]
        for (position, value, message) in faults {
            var builder = RowBuilder()
            builder.begin(Sample.people)
            for (position, value) in Sample.person(1).enumerated() {
                value.write(to: &builder, at: position)
            }
            value.write(to: &builder, at: position)
            do {
                _ = try builder.finish()
                Issue.record("accepted: \(message)")
            } catch {
                #expect((error as? PatchbayError)?.code == .invalidValue)
                #expect((error as? PatchbayError)?.message.hasPrefix(message) == true, "\(error)")
            }
        }
    }

    @Test("stores negative zero as zero")
    func zero() throws {
        var builder = RowBuilder()
        builder.begin(Sample.people)
        for (position, value) in Sample.person(1).enumerated() { value.write(to: &builder, at: position) }
        builder.set(5, -0.0)
        let row = try builder.finish()
        let sign = row.real(5).sign
        #expect(sign == .plus)
    }
}
