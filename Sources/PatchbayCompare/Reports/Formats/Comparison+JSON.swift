internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly, and what they show.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``, and unknown values are left out. `verdicts` follows from them, with an object for each workload,
/// subject and number of rows. Readers must skip keys that they do not know; a change that they could misread gets
/// another version.
extension Comparison {
    private static let head: [(name: String, value: JSONValue)] = [
        ("format", "patchbay-comparison"), ("version", .number("1")),
    ]

    /// The JSON, indented by two spaces, with a line feed at the end.
    ///
    /// - Throws: an error when a measured number is not finite.
    package func json() throws -> [UInt8] {
        var writer = JSONWriter(indentation: 2)
        writer.value(try jsonValue())
        writer.newline()
        return writer.bytes
    }

    func jsonValue() throws -> JSONValue {
        let verdicts = groups.flatMap { group in group.standings.map { $0.verdict(in: group) } }
        return .object(
            Comparison.head + (try JSONValue(Frames.bytes(of: self)).members)
                + [("verdicts", .array(verdicts))])
    }
}

extension Standing {
    fileprivate func verdict(in group: ResultGroup) -> JSONValue {
        let members: [(name: String, value: JSONValue?)] = [
            ("workload", .text(group.workload)), ("rows", JSONValue(Int64(group.rows))),
            ("subject", .text(subject)), ("verdict", .text(word)),
            ("timesSlower", number(ratio?.times)), ("low", number(ratio?.low)), ("high", number(ratio?.high)),
            ("reason", reason.map { .text($0) }),
        ]
        return .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    private func number(_ number: Double?) -> JSONValue? {
        number.flatMap { $0.isFinite ? .number("\($0)") : nil }
    }
}

extension Durability: Codable {}
