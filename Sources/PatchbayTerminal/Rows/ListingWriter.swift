package import PatchbayGateway
import PatchbayJSON

/// Formats a listing in parts, so that a listing of any length takes little memory.
///
/// JSON is an object with the rows and all their fields as `items`, and with the status of the `answer`. The first part
/// determines the column widths of a table.
package struct ListingWriter: ~Copyable {
    private let writer: RecordWriter
    private var json = JSONWriter(indentation: 2)
    private var widths: [Int]?
    private var isFirst = true

    package init(_ writer: RecordWriter) { self.writer = writer }

    /// Returns the next records in UTF-8.
    package mutating func bytes(of listing: Listing) -> [UInt8] {
        defer { isFirst = false }
        switch writer.format {
        case .table:
            let width = writer.terminal.width
            return Array(listing.table.render(width: width, paint: writer.paint, widths: &widths).utf8)
        case .csv:
            return CSVText.bytes(
                of: listing.records, header: listing.names.usual, isFirst: isFirst,
                isForTerminal: writer.terminal.isTerminal)
        case .jsonl: return writer.jsonLines(listing.records)
        case .json:
            if isFirst {
                json.beginObject()
                json.key("items")
                json.beginArray()
            }
            for record in listing.records { json.object(OutputRecord(record.fields + record.more)) }
            return written()
        }
    }

    /// Returns the text after the last records; there must have been at least one part.
    package mutating func end(answer: OutputRecord) -> [UInt8] {
        guard writer.format == .json else { return [] }
        json.endArray()
        json.key("answer")
        json.object(answer)
        json.endObject()
        json.newline()
        return written()
    }

    private mutating func written() -> [UInt8] {
        defer { json.bytes.removeAll(keepingCapacity: true) }
        return writer.shown(json.bytes)
    }
}
