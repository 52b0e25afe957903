import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// The edits of a row: a JSON merge patch (RFC 7396) of its editable fields.
struct RowEdits: Sendable {
    /// The new text of each field; nil reverts a field.
    let changes: [(field: String, value: String?)]

    /// - Throws: `Problem` when the body is not a JSON object of texts and nulls.
    init(_ body: [UInt8]) throws(Problem) {
        let members = try JSONBody.members(of: body, with: "at least one field to edit")
        guard !members.isEmpty else { throw JSONBody.notAnObject(with: "at least one field to edit") }
        var changes: [(field: String, value: String?)] = []
        for (name, value) in members {
            switch value {
            case .null: changes.append((name, nil))
            case .text(let text):
                guard text.utf8.count <= EditedText.bytesMax else {
                    throw .invalid(
                        name, "the text has more than \(EditedText.bytesMax) bytes of UTF-8; shorten it")
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
            "type": ["string", "null"], "maxLength": JSONValue(Int64(EditedText.bytesMax)),
            "pattern": Parameter.visible,
        ]
        return [
            "type": "object", "minProperties": 1, "additionalProperties": false,
            "properties": .object(resource.editable.map { ($0.name, text) }),
        ]
    }
}
