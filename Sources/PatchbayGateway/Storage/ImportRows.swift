package import PatchbayCore
package import PatchbayDomain
import PatchbayJSON

/// Reads rows that ``ExportRows`` or another program wrote, and puts them into a storage.
///
/// A row replaces the one with the same key; rows that are not in the file stay. All lines of a batch are checked
/// before it is written. Each batch is one transaction, and memory does not grow with the file.
package struct ImportRows: Sendable {
    /// Closes a store and opens its storage again with an additional collection.
    package typealias Declaration = @Sendable (Store, CollectionSchema) async throws -> Store

    private let store: Store
    private let collection: CollectionSchema?
    private let format: TransferFormat
    private let name: String
    private let declare: Declaration?
    private let resource: @Sendable (CollectionSchema) -> Resource?

    /// - Parameters:
    ///   - collection: the collection of the rows; nil when the file names it, as JSON Lines of several collections do.
    ///   - name: the name of the file in messages.
    ///   - resource: returns the resource whose rows a collection has, so that its favourites follow.
    ///   - declare: called for a collection that the file defines and the storage does not have yet; nil to refuse such
    ///     a file.
    /// - Throws: `unsupported` when the format cannot name the collection and none is given.
    package init(
        _ store: Store, _ collection: CollectionSchema?, as format: TransferFormat, name: String,
        resource: @escaping @Sendable (CollectionSchema) -> Resource? = { _ in nil },
        declare: Declaration? = nil
    ) throws {
        if collection == nil, format == .csv {
            let names = store.schema.transferable.collections.map(\.name).joined(separator: ", ")
            throw PatchbayError(
                .unsupported, "a CSV file does not name its collection; choose one of \(names)")
        }
        self.store = store
        self.collection = collection
        self.format = format
        self.name = name
        self.resource = resource
        self.declare = declare
    }

    /// Imports all rows and returns their number.
    ///
    /// - Parameter read: returns the next bytes of the file, at most the given number, and none at its end.
    /// - Throws: `conflict` when the file names at its beginning another server than that of the stored rows;
    ///   `invalidValue` with file and line for the first bad row. its `rowsImported` is the number of rows
    ///   imported before.
    package func run(
        progress: @escaping WorkProgress.Handler = { _ in }, read: @escaping (Int) throws -> [UInt8]
    ) async throws -> Int {
        var lines = LineReader(read), put = 0
        do {
            switch format {
            case .jsonl: try await importLines(&lines, &put, progress)
            case .csv: try await importRecords(&lines, &put, progress)
            }
            return put
        } catch {
            throw located(error, lines.number, put)
        }
    }

    private func importLines(
        _ lines: inout LineReader, _ put: inout Int, _ progress: WorkProgress.Handler
    ) async throws {
        var line: [UInt8] = [], store = store
        if let collection { store = try await holding(collection, store) }
        var rows = collection.map { RowReader($0) }
        var batch = collection.map { RowBatch(of: $0) }
        while try lines.next(to: &line) {
            defer { line.removeAll(keepingCapacity: true) }
            if line.allSatisfy({ $0 <= UInt8(ascii: " ") }) { continue }
            if let named = try CollectionLine(line)?.collection(in: store.schema, wanted: collection) {
                try await flush(&batch, &put, store, progress)
                store = try await holding(named, store)
                rows = RowReader(named)
                batch = RowBatch(of: named)
                continue
            }
            guard batch != nil else {
                let names = store.schema.transferable.collections.map(\.name).joined(separator: ", ")
                throw LineFault("no line before this row names its collection; choose one of \(names)")
            }
            try rows?.readJSON(line, into: &batch!)
            if batch!.isFull { try await flush(&batch, &put, store, progress) }
        }
        try await flush(&batch, &put, store, progress)
    }

    private func importRecords(
        _ lines: inout LineReader, _ put: inout Int, _ progress: WorkProgress.Handler
    ) async throws {
        guard let collection, let header = try CSVRecord.next(&lines) else { return }
        let store = try await holding(collection, store)
        var rows = RowReader(collection)
        let columns = try rows.columns(header.fields)
        var batch: RowBatch? = RowBatch(of: collection)
        while let record = try CSVRecord.next(&lines) {
            try rows.readCSV(record.fields, columns, into: &batch!)
            if batch!.isFull { try await flush(&batch, &put, store, progress) }
        }
        try await flush(&batch, &put, store, progress)
    }

    /// A store that has the collection.
    private func holding(_ collection: CollectionSchema, _ store: Store) async throws -> Store {
        if store.schema.has(collection) { return store }
        if let declare { return try await declare(store, collection) }
        throw LineFault("the storage has no collection \"\(collection.name)\"")
    }

    private func flush(
        _ batch: inout RowBatch?, _ put: inout Int, _ store: Store, _ progress: WorkProgress.Handler
    ) async throws {
        guard let rows = batch, !rows.isEmpty else { return }
        try Task.checkCancellation()
        let resource = rows.collection.isOfResource ? resource(rows.collection) : nil
        try await store.write { writing in
            if rows.collection.name == StoredAPI.collection.name { try writing.claimServers(of: rows) }
            guard rows.collection.isOfResource else {
                for position in 0..<rows.count { try writing.put(rows.row(position), in: rows.collection) }
                return
            }
            var rows = rows
            let numbers = ItemState.LaterColumn.changeNumber.field
            if let position = rows.collection.fields.firstIndex(of: numbers) {
                rows.set(position, to: try writing.changeNumber())
            }
            try writing.put(rows, of: resource)
        }
        put += rows.count
        batch = RowBatch(of: rows.collection)
        progress(WorkProgress("importing \(rows.collection.name)", done: put))
    }

    /// The error with its line and the number of rows imported before.
    private func located(_ error: any Error, _ line: Int, _ put: Int) -> any Error {
        func refused(_ line: Int, _ problem: String) -> PatchbayError {
            PatchbayError(
                .invalidValue, "\(name):\(line): \(problem)",
                [.at(.file(path: name, line: line)), .rowsImported(put)])
        }
        switch error {
        case let fault as LineFault: return refused(fault.line ?? line, fault.message)
        case let fault as JSONError: return refused(line, "\(fault)")
        case let fault as PatchbayError where fault.code == .invalidValue && line > 0:
            return refused(line, fault.message)
        case let fault as PatchbayError: return fault.adding([.rowsImported(put)])
        default: return error
        }
    }
}

extension Writing {
    /// Checks that imported rows come from the servers of the stored ones.
    fileprivate mutating func claimServers(of rows: RowBatch) throws {
        for position in 0..<rows.count { try claim(StoredAPI(rows.row(position))) }
    }
}

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

/// The line before a collection's rows: `{"_collection":"users","_definition":"users(id integer, ...)"}`.
struct CollectionLine {
    private let name: String
    private let definition: String?

    /// Returns nil for any other line. They can be distinguished because no field's name begins with an underscore.
    init?(_ line: [UInt8]) throws {
        var reader = JSONReader(line.span.bytes)
        try reader.beginObject()
        guard let first = try reader.nextKey(), first == "_collection" else { return nil }
        name = try reader.readString()
        var definition: String?
        while let key = try reader.nextKey() {
            if key == "_definition" { definition = try reader.readString() } else { try reader.skipValue() }
        }
        try reader.finish()
        self.definition = definition
    }

    /// The named collection: that of the schema, otherwise the one that the line defines.
    ///
    /// - Parameter wanted: the only collection that the caller accepts; nil for any.
    func collection(in schema: Schema, wanted: CollectionSchema?) throws -> CollectionSchema {
        if let wanted, wanted.name != name {
            throw LineFault(
                "here begin rows of \"\(name)\", not of \"\(wanted.name)\"; "
                    + "to import all collections, do not name one")
        }
        let written = try definition.map { try declared($0) }
        let known = schema.transferable.collections
        if let collection = known.first(where: { $0.name == name }) {
            if let written { try checkFields(written, collection) }
            return collection
        }
        if let written, name != CopyMark.collection.name { return written }
        let names = known.map(\.name), meant = EditDistance.suggestion(for: name, in: names)
        throw LineFault(
            "there is no collection \"\(name)\"\(meant), and the line does not define it; "
                + "known: \(names.joined(separator: ", "))")
    }

    private func declared(_ definition: String) throws -> CollectionSchema {
        guard let written = CollectionSchema(definition: definition), written.name == name else {
            throw LineFault("the definition of \"\(name)\" is damaged")
        }
        return written
    }

    /// Refuses rows with different fields before the first of them is read.
    private func checkFields(_ written: CollectionSchema, _ collection: CollectionSchema) throws {
        for field in written.fields {
            guard let own = collection.fields.first(where: { $0.name == field.name }) else {
                throw LineFault(
                    "\(name) has no field \"\(field.name)\" in the storage; a newer version of Patchbay may add it, or "
                        + "a sync if its definition has it")
            }
            if own.type != field.type {
                throw LineFault(
                    "\(name).\(field.name) is \(field.type.rawValue) in the file "
                        + "and \(own.type.rawValue) here")
            }
        }
    }
}
