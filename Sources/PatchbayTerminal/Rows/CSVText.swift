package import PatchbayGateway
import PatchbayJSON

/// Formats records as comma-separated values according to RFC 4180, with these choices and exceptions:
///
/// - Lines end in LF, not in CR LF, because `cut`, `sort` and `wc` would treat the CR as data and CSV readers accept
///   both.
/// - Null is an empty field and the empty text is `""`, so that they can be distinguished.
/// - An array or an object is its JSON, as in exports.
/// - Values are exact. A value that begins with `=`, `+`, `-` or `@` is not changed, although a spreadsheet may treat
///   it as a formula; import such a file as text.
/// - On a terminal no program reads the output, so values pass through ``TerminalText/harmless(_:)``.
package enum CSVText {
    /// Returns the header line and a line for each record.
    ///
    /// - Parameters:
    ///   - header: The names to use when there are no records; without either there is no output.
    ///   - isFirst: Whether the header line comes before the records.
    package static func bytes(
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
            case .text, .json: text = value.description
            case .list: text = json(value)
            case .null, .integer, .real, .bool:
                bytes += value.description.utf8
                continue
            }
            let shown = isForTerminal ? TerminalText.harmless(text) : text
            CSVField.append(shown.utf8.span.bytes, to: &bytes)
        }
        bytes.append(lineFeed)
    }

    private static func json(_ value: OutputValue) -> String {
        var json = JSONWriter()
        json.value(value)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
}
