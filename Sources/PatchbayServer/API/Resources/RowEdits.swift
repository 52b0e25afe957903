import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The edits of a row: a JSON merge patch (RFC 7396) of its editable fields.
struct RowEdits: Sendable {
    /// The new text of each field; nil reverts a field.
    let changes: [(field: String, value: String?)]

    /// The maximum length of a text in Unicode scalars; it is at most 1,024 bytes of UTF-8, the limit of the storage.
    static let charactersMax = 256

    /// - Throws: `Problem` when the body is not a JSON object of texts and nulls.
    init(_ body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do { value = try JSONValue(body) } catch {
            throw Problem(
                .badRequest, .invalidValue, "the body is not JSON: \(error); send an object of fields")
        }
        guard !JSONText.hasHalfPair(in: body) else {
            throw Problem(
                .badRequest, .invalidValue,
                "the body contains half of a surrogate pair, such as \\ud800 alone, which is not a character; "
                    + "send both halves or remove it")
        }
        guard case .object(let members) = value, !members.isEmpty else {
            throw Problem(
                .badRequest, .invalidValue, "the body is not a JSON object with at least one field to edit")
        }
        var names: Set<[UInt8]> = []
        if let twice = members.first(where: { !names.insert(Array($0.name.utf8)).inserted })?.name {
            throw .invalid(twice, "the member occurs twice in the body; send it once")
        }
        var changes: [(field: String, value: String?)] = []
        for (name, value) in members {
            switch value {
            case .null: changes.append((name, nil))
            case .text(let text):
                guard text.unicodeScalars.count <= Self.charactersMax else {
                    throw .invalid(
                        name, "the text has more than \(Self.charactersMax) characters; shorten it")
                }
                changes.append((name, text))
            default: throw .invalid(name, "the value is neither a text nor null")
            }
        }
        self.changes = changes
    }

    /// Returns the schema of the body.
    static func schema(of resource: Resource) -> JSONValue {
        let text: JSONValue = [
            "type": ["string", "null"], "minLength": 1, "maxLength": JSONValue(Int64(charactersMax)),
            "pattern": Parameter.visible,
        ]
        return [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": .object(resource.editable.map { ($0.name, text) }),
        ]
    }
}
