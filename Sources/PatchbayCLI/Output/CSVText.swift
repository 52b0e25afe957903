import PatchbayGateway
internal import PatchbayGateway

/// Records as comma-separated values: RFC 4180, and these decisions where it leaves a choice or our users
/// need another.
///
/// - Lines end in a line feed alone, not in CR LF: `cut`, `sort` and `wc` would take the CR for data, and
///   the readers of CSV accept both.
/// - Null is an empty field and the empty text is `""`, so that a reader who looks can tell them apart.
/// - Values are exact. One that begins with `=`, `+`, `-` or `@` stays as it is, although a spreadsheet may
///   take it for a formula: import such a file as text.
/// - On a terminal there is no program to be exact for, so there the values pass
///   ``TerminalText/harmless(_:)``.
enum CSVText {
    /// The header line and a line for each record.
    ///
    /// - Parameters:
    ///   - header: The names when there are no records; with neither there is no output.
    ///   - isFirst: Whether the header line comes before the records.
    static func bytes(
        of records: [OutputRecord], header: [String], isFirst: Bool = true, isForTerminal: Bool
    ) -> [UInt8] {
        let names = records.first?.names ?? header
        assert(records.allSatisfy { $0.names == names }, "the records of one list have the same names")
        var bytes: [UInt8] = []
        guard !names.isEmpty else { return bytes }
        if isFirst { append(names.map { .text($0) }, isForTerminal, to: &bytes) }
        for record in records { append(record.fields.map(\.value), isForTerminal, to: &bytes) }
        return bytes
    }

    private static func append(_ values: [OutputValue], _ isForTerminal: Bool, to bytes: inout [UInt8]) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(comma) }
            let text: String
            switch value {
            case .text, .list, .json: text = value.description
            case .null, .integer, .real, .bool:
                bytes += value.description.utf8
                continue
            }
            let shown = isForTerminal ? TerminalText.harmless(text) : text
            CSVField.append(shown.utf8.span.bytes, to: &bytes)
        }
        bytes.append(lineFeed)
    }

    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
}
