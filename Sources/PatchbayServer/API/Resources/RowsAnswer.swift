import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// Rows as an answer has them: an array, or a line each.
struct RowsAnswer: Sendable {
    let records: ItemRecords
    let mediaType: MediaType

    /// - Throws: `Problem` when the request chooses a field that there is not.
    init(_ request: APIRequest, of resource: Resource) throws(Problem) {
        let all = ItemRecords(resource.declaration)
        mediaType = request.mediaType ?? .json
        guard let names = request.names(.fields) else {
            records = all
            return
        }
        let known = all.names.all
        for name in names where !known.contains(name) {
            throw .invalid(
                Parameter.fields.name,
                "\(resource.plural) have no field \"\(name)\"\(EditDistance.suggestion(for: name, in: known)); "
                    + "known: \(known.joined(separator: ", "))")
        }
        records = all.choosing(names)
    }

    var isLines: Bool { mediaType != .json }

    /// - Parameter addition: writes more members of each row.
    func body(_ items: [Item], adding addition: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        var json = JSONWriter()
        if !isLines { json.beginArray() }
        for item in items {
            json.beginObject()
            records.write(item, to: &json)
            addition(&json)
            json.endObject()
            if isLines { json.newline() }
        }
        if !isLines {
            json.endArray()
            json.newline()
        }
        return json.bytes
    }

    func body(_ item: Item) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        records.write(item, to: &json)
        json.endObject()
        json.newline()
        return json.bytes
    }
}
