import HTTPTypes
import PatchbayCore
import Synchronization

/// The fields of requests on which the answers to one request depend (`Vary`; RFC 9110, section 12.5.5).
struct RecordedVariants: Sendable {
    /// The fields with the values for which each answer was recorded; nil for an answer without its body. Empty when
    /// nothing depends on them.
    private let fields: [[Field]?]

    private struct Field: Sendable {
        let name: HTTPField.Name
        let value: String?
    }

    /// - Parameter answer: reads the answer of an entry; the others are read only if the first one depends on a field.
    init(
        of entries: [RecordingIndex.Entry], reading answer: (RecordingIndex.Entry) throws -> RecordedAnswer
    ) rethrows {
        guard entries.count > 1, let first = entries.first(where: \.isWhole),
            try !Self.fields(answer(first)).isEmpty
        else {
            fields = []
            return
        }
        fields = try entries.map { $0.isWhole ? Self.fields(try answer($0)) : nil }
    }

    /// Returns the positions of the answers that were recorded for a request's values; nil when these select all or
    /// none of them.
    func selected(by request: HTTPRequest) -> [Int]? {
        let selected = fields.indices.filter { place in
            fields[place]?.allSatisfy { Self.value(of: $0.name, in: request.headerFields) == $0.value }
                ?? false
        }
        return selected.isEmpty || selected.count == fields.count { $0 != nil } ? nil : selected
    }

    /// Without encodings, because recorded bodies have none, and without secrets, which recordings do not contain.
    private static func fields(_ answer: RecordedAnswer) -> [Field] {
        let names = answer.headerFields[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " } }
        return names.compactMap { HTTPField.Name(String($0)) }
            .filter { $0 != .acceptEncoding && !SecretNames.mayBeSecret(field: $0.canonicalName) }
            .map { Field(name: $0, value: value(of: $0, in: answer.requestFields)) }
    }

    /// The value without white space and case.
    private static func value(of name: HTTPField.Name, in fields: HTTPFields) -> String? {
        fields[name].map { $0.lowercased().filter { $0 != " " } }
    }
}

extension Recording {
    /// Returns what the answers of a group depend on, which is found out once.
    func variants(of group: Int) throws -> RecordedVariants {
        if let known = variants.withLock({ $0[group] }) { return known }
        let found = try RecordedVariants(of: index.groups[group].entries, reading: answer)
        variants.withLock { $0[group] = found }
        return found
    }
}
