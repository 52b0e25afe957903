import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// Information about a row besides its fields. It changes independently of the row, so it is sent only on request.
enum RowNote: String, CaseIterable, Sendable {
    /// The time when a list or the row's own address last returned or confirmed it.
    case fetchedAt = "fetched_at"
    /// The time when the row's own address last did.
    case detailFetchedAt = "detail_fetched_at"
    case isFavourite = "is_favourite"

    var schema: JSONValue {
        switch self {
        case .fetchedAt, .detailFetchedAt: ["type": ["string", "null"], "format": "date-time"]
        case .isFavourite: ["type": "boolean"]
        }
    }
}

/// Writes the rows of an answer, as an array or one per line.
struct RowsAnswer: Sendable {
    let mediaType: MediaType
    private let served: ServedResource
    private let records: ItemRecords
    private let notes: [RowNote]

    /// - Throws: `Problem` when the request chooses an unknown field.
    init(_ request: APIRequest, of served: ServedResource) throws(Problem) {
        let all = served.records
        self.served = served
        mediaType = request.mediaType ?? .json
        guard let names = request.names(.fields) else {
            records = all
            notes = []
            return
        }
        let known = served.answerNames
        for name in names where !known.contains(name) {
            throw .invalid(
                Parameter.fields.name,
                "\(served.resource.plural) have no field \"\(name)\"\(EditDistance.suggestion(for: name, in: known)); "
                    + "known: \(known.joined(separator: ", "))")
        }
        records = all.choosing(names)
        notes = served.notes.filter { names.contains($0.rawValue) }
    }

    var isLines: Bool { mediaType != .json }

    /// Whether rows have more than their fields.
    var hasNotes: Bool { !notes.isEmpty }

    /// - Parameter addition: writes further members of each row.
    func body(
        _ items: [Item], of gateway: Gateway, adding addition: (inout JSONWriter) -> Void = { _ in }
    ) async throws -> [UInt8] {
        ServedCall.current?.add(rows: items.count)
        let favourites = try await favourites(among: items, of: gateway)
        var json = JSONWriter()
        if !isLines { json.beginArray() }
        for item in items {
            json.beginObject()
            write(item, favourites, to: &json)
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

    func body(_ item: Item, of gateway: Gateway) async throws -> [UInt8] {
        ServedCall.current?.add(rows: 1)
        let favourites = try await favourites(among: [item], of: gateway)
        var json = JSONWriter()
        json.beginObject()
        write(item, favourites, to: &json)
        json.endObject()
        json.newline()
        return json.bytes
    }

    private func favourites(among items: [Item], of gateway: Gateway) async throws -> Set<Key> {
        notes.contains(.isFavourite) ? try await gateway.favourites(among: items) : []
    }

    private func write(_ item: Item, _ favourites: Set<Key>, to json: inout JSONWriter) {
        records.write(served.seen(item), to: &json)
        for note in notes {
            let value: OutputValue =
                switch note {
                case .fetchedAt: OutputValue(item.state.fetchedAt?.description)
                case .detailFetchedAt: OutputValue(item.state.detailFetchedAt?.description)
                case .isFavourite: .bool(favourites.contains(item.key))
                }
            json.member(note.rawValue, value)
        }
    }
}

extension ServedResource {
    /// The names that the parameter `fields` accepts.
    var answerNames: [String] { records.names.all + notes.map(\.rawValue) }

    /// The notes that the client may see and that do not have the name of a field.
    var notes: [RowNote] {
        RowNote.allCases.filter { note in
            !records.names.all.contains(note.rawValue) && (note != .isFavourite || showsFavourites)
        }
    }
}
