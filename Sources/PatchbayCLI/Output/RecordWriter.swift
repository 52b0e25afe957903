import PatchbayGateway
import PatchbayJSON

/// Prints records in the format that the user chose.
///
///     let writer = RecordWriter(format)
///     try writer.write(users, header: userFields, table: Table(userColumns, of: users))
///
/// JSON, NDJSON and CSV carry the values as they are stored; a table makes them harmless and cuts them to
/// fit. On a terminal the other formats are harmless as well: JSON through its own escapes, which change no value.
struct RecordWriter: Sendable {
    let format: OutputFormat
    private let stream: StandardStream
    let terminal: Terminal
    let paint: Paint

    init(_ format: OutputFormat, to stream: StandardStream = .output) {
        self.init(format, to: stream, terminal: Terminal(stream))
    }

    init(_ format: OutputFormat, to stream: StandardStream = .output, terminal: Terminal) {
        self.format = format
        self.stream = stream
        self.terminal = terminal
        paint = Paint(isColoured: terminal.allowsColour)
    }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - header: The names for CSV's first line when there are no records; with records, theirs are taken.
    ///   - table: Made only when the format is a table.
    /// - Throws: What ``StandardStream/write(_:)`` throws.
    func write(_ records: [OutputRecord], header: [String] = [], table: @autoclosure () -> Table) throws {
        try stream.write(bytes(of: records, header: header, table: table()))
    }

    /// Prints one thing: as ``write(_:header:table:)``, but JSON gets an object and not an array.
    func write(_ record: OutputRecord, table: @autoclosure () -> Table) throws {
        try stream.write(bytes(of: record, table: table()))
    }

    /// An answer as it is printed: the only part of a ``ListingWriter``'s listing.
    func bytes(of listing: Listing, answer: OutputRecord) -> [UInt8] {
        var parts = ListingWriter(self)
        return parts.bytes(of: listing) + parts.end(answer: answer)
    }

    /// JSON as it goes out.
    func shown(_ json: [UInt8]) -> [UInt8] {
        guard terminal.isTerminal else { return json }
        return Array(TerminalText.harmless(json: String(decoding: json, as: UTF8.self)).utf8)
    }

    /// What ``write(_:header:table:)`` prints, in UTF-8.
    func bytes(
        of records: [OutputRecord], header: [String] = [], table: @autoclosure () -> Table
    ) -> [UInt8] {
        switch format {
        case .table: Array(table().render(width: terminal.width, paint: paint).utf8)
        case .json: json(records)
        case .csv: CSVText.bytes(of: records, header: header, isForTerminal: terminal.isTerminal)
        case .ndjson: jsonLines(records)
        }
    }

    /// What ``write(_:table:)`` prints, in UTF-8.
    func bytes(of record: OutputRecord, table: @autoclosure () -> Table) -> [UInt8] {
        guard format == .json else { return bytes(of: [record], table: table()) }
        var json = JSONWriter(indentation: 2)
        json.object(record)
        json.newline()
        return shown(json.bytes)
    }

    private func json(_ records: [OutputRecord]) -> [UInt8] {
        var json = JSONWriter(indentation: 2)
        json.beginArray()
        for record in records { json.object(record) }
        json.endArray()
        json.newline()
        return shown(json.bytes)
    }

    func jsonLines(_ records: [OutputRecord]) -> [UInt8] {
        var json = JSONWriter()
        for record in records {
            json.object(record)
            json.newline()
        }
        return shown(json.bytes)
    }
}
