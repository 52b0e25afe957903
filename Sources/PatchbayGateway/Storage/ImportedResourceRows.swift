import PatchbayCore
import PatchbayDomain

extension Writing {
    /// Puts imported rows of a resource, with what depends on their values: edits that a clear kept apply again, titles
    /// are folded again, and favourites are copied again.
    ///
    /// - Parameter resource: nil when the declaration of the resource is not known; then favourites stay as they are.
    mutating func put(_ rows: RowBatch, of resource: Resource?) throws {
        let collection = rows.collection, titles = collection.foldedTitles
        let columns = try reading.hasKeptEdits(in: collection) ? collection.edits : []
        let folded = Set(titles.map(\.position))
        var builder = RowBuilder()
        for place in 0..<rows.count {
            let row = rows.row(place), key = StoredRowKey(collection.key(of: row), in: collection)
            var edits: [Int: String] = [:]
            for (field, position) in columns where row.isNull(position) {
                edits[position] = try takeKeptEdit(of: key, field)
            }
            builder.begin(collection)
            for (position, field) in collection.fields.enumerated() where !folded.contains(position) {
                builder.copy(position, field.type, from: row)
            }
            for (position, edit) in edits { builder.set(position, edit) }
            // A title that is left out is folded when its source is opened.
            for title in titles {
                if let text = title.text(of: row, with: edits) { builder.set(title.position, text) }
            }
            let imported = try builder.finish()
            try put(imported, in: collection)
            if let resource { try renewFavourite(of: Item(imported, of: resource)) }
        }
    }
}
