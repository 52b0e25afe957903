package import PatchbayGateway
import PatchbayJSON

/// Prints records in the format that the user chose.
///
///     let writer = RecordWriter(format)
///     try writer.write(users, header: userFields, table: Table(userColumns, of: users))
///
/// JSON, JSON Lines and CSV contain the exact values; a table makes them harmless and cuts them to fit. On a terminal
/// the other formats are made harmless as well, JSON with its own escapes, which do not change values.
package struct RecordWriter: Sendable {
    package let format: OutputFormat
    package let terminal: Terminal
    package let paint: Paint

    package init(_ format: OutputFormat, terminal: Terminal = Terminal(.output)) {
        self.format = format
        self.terminal = terminal
        paint = Paint(isColoured: terminal.allowsColour)
    }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - header: The names for the first line of CSV when there are no records; otherwise the records' names are
    ///     used.
    ///   - table: Evaluated only if the format is a table.
    /// - Throws: The errors of ``StandardStream/write(_:)``.
    package func write(_ records: [OutputRecord], header: [String] = [], table: @autoclosure () -> Table)
        throws
    {
        try StandardStream.output.write(bytes(of: records, header: header, table: table()))
    }

    /// Prints a list whose records are the rows of a table.
    ///
    /// - Parameter header: as in ``write(_:header:table:)``; by default the titles of the columns.
    package func write(_ records: [OutputRecord], header: [String]? = nil, columns: [TableColumn]) throws {
        try write(records, header: header ?? columns.map(\.title), table: Table(columns, of: records))
    }

    /// Prints one record. Unlike with ``write(_:header:table:)``, JSON is an object, not an array.
    package func write(_ record: OutputRecord, table: @autoclosure () -> Table) throws {
        try StandardStream.output.write(bytes(of: record, table: table()))
    }

    /// Returns the output for an answer that is printed in one part.
    package func bytes(of listing: Listing, answer: OutputRecord) -> [UInt8] {
        var parts = ListingWriter(self)
        return parts.bytes(of: listing) + parts.end(answer: answer)
    }

    /// Returns JSON as it is printed: on a terminal, made harmless.
    package func shown(_ json: [UInt8]) -> [UInt8] {
        guard terminal.isTerminal else { return json }
        return Array(TerminalText.harmless(json: String(decoding: json, as: UTF8.self)).utf8)
    }

    /// Returns the output of ``write(_:header:table:)`` in UTF-8.
    package func bytes(
        of records: [OutputRecord], header: [String] = [], table: @autoclosure () -> Table
    ) -> [UInt8] {
        switch format {
        case .table: Array(table().render(width: terminal.width, paint: paint).utf8)
        case .json: json(records)
        case .csv: CSVText.bytes(of: records, header: header, isForTerminal: terminal.isTerminal)
        case .jsonl: jsonLines(records)
        }
    }

    /// Returns the output of ``write(_:table:)`` in UTF-8.
    package func bytes(of record: OutputRecord, table: @autoclosure () -> Table) -> [UInt8] {
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

/// The output format of a command: the value of `--format`.
package enum OutputFormat: String, CaseIterable, Sendable {
    /// For people: aligned columns that fit the terminal.
    case table
    /// For programs: an object with `items` and the status of the `answer` if the command may query a source; else an
    /// array of objects, or one object if the command prints a single thing. Indented by two spaces.
    case json
    /// RFC 4180 with a header line; ``CSVText`` lists the details.
    case csv
    /// One JSON object per line.
    case jsonl
}
