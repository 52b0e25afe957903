import PatchbayCore
import PatchbayJSON

extension Checkpoint {
    /// - Parameter folder: the folder of the index files.
    func write(in folder: Folder, isSynced: Bool) throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("transaction", transaction)
        writer.member("synced", isSynced ? 1 : 0)
        writer.key("collections")
        writer.beginArray()
        for table in tables { table.write(to: &writer) }
        writer.endArray()
        try SealedFile.write(writer.bytes, FileName.checkpoint, in: folder, isSynced: isSynced)
    }

    /// Returns nil when it is missing or damaged. All data is then read again.
    static func read(in folder: Folder) throws -> Checkpoint? {
        guard try folder.kind(FileName.checkpoint) == .file,
            let content = try SealedFile.read(FileName.checkpoint, in: folder)
        else { return nil }
        return content.withBytes { try? Checkpoint(reading: $0) }
    }

    private init(reading bytes: RawSpan) throws {
        var reader = JSONReader(bytes)
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "transaction" {
                transaction = try reader.readUnsigned()
            } else if key == "synced" {
                isSynced = try reader.readUnsigned() == 1
            } else if key == "collections" {
                try reader.beginArray()
                while try reader.nextElement() { tables.append(try Table(reading: &reader)) }
            } else {
                try reader.skipValue()
            }
        }
        try reader.finish()
    }
}

extension Checkpoint.Table {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.string(collection)
        writer.member("generation", generation)
        writer.key("definition")
        writer.string(definition)
        writer.member("length", UInt64(length))
        writer.member("checksum", UInt64(checksum))
        writer.member("rows", UInt64(rowCount))
        writer.member("live_bytes", UInt64(liveBytes))
        writer.member("last_commit", lastCommit)
        writer.key("runs")
        writer.beginArray()
        for run in runs { run.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }

    fileprivate init(reading reader: inout JSONReader) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "name" {
                collection = try reader.readString()
            } else if key == "generation" {
                generation = try reader.readUnsigned()
            } else if key == "definition" {
                definition = try reader.readString()
            } else if key == "length" {
                length = Int(clamping: try reader.readUnsigned())
            } else if key == "checksum" {
                checksum = UInt32(truncatingIfNeeded: try reader.readUnsigned())
            } else if key == "rows" {
                rowCount = Int(clamping: try reader.readUnsigned())
            } else if key == "live_bytes" {
                liveBytes = Int(clamping: try reader.readUnsigned())
            } else if key == "last_commit" {
                lastCommit = try reader.readUnsigned()
            } else if key == "runs" {
                try reader.beginArray()
                while try reader.nextElement() { runs.append(try Checkpoint.Run(reading: &reader)) }
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension Checkpoint.Run {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("index")
        writer.string(index)
        writer.member("number", number)
        writer.member("bytes", UInt64(byteCount))
        writer.member("checksum", UInt64(checksum))
        writer.endObject()
    }

    fileprivate init(reading reader: inout JSONReader) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "index" {
                index = try reader.readString()
            } else if key == "number" {
                number = try reader.readUnsigned()
            } else if key == "bytes" {
                byteCount = Int(clamping: try reader.readUnsigned())
            } else if key == "checksum" {
                checksum = UInt32(truncatingIfNeeded: try reader.readUnsigned())
            } else {
                try reader.skipValue()
            }
        }
    }
}

extension JSONWriter {
    /// Writes an integer as a string, because some are beyond the range that every reader keeps exact.
    fileprivate mutating func member(_ name: StaticString, _ value: UInt64) {
        key(name)
        string(String(value))
    }
}

extension JSONReader {
    fileprivate mutating func readUnsigned() throws -> UInt64 {
        let text = try readString()
        guard let value = UInt64(text) else {
            throw JSONError(message: "expected a whole number", offset: offset)
        }
        return value
    }
}
