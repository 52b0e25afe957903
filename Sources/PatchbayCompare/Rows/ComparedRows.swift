package import PatchbayCore
package import PatchbayDomain
import SourceSynthetic

/// The rows that every subject of a comparison stores: made-up users, or copies of the rows of any resource.
package struct ComparedRows: Sendable {
    /// The resource of the rows, with the columns of a new storage.
    package let resource: Resource
    /// Where the rows are copied from; nil for made-up users.
    package let source: Source?

    /// Where rows are copied from.
    package struct Source: Sendable {
        /// What the rows are found by in the process that measures a subject.
        package let origin: RowsOrigin
        /// The origin in words: `the recording "users.har"`.
        package let words: String
        /// Passes each row to `body`, packed for ``ComparedRows/resource``, in the order of the keys.
        let each: @Sendable (_ body: (_ row: [UInt8]) throws -> Void) async throws -> Void

        package init(
            _ origin: RowsOrigin, words: String,
            each: @escaping @Sendable (_ body: (_ row: [UInt8]) throws -> Void) async throws -> Void
        ) {
            self.origin = origin
            self.words = words
            self.each = each
        }
    }

    /// Any number of made-up users.
    package static func synthetic() throws -> ComparedRows {
        ComparedRows(resource: try Resource(SyntheticFeed.users, api: SyntheticFeed.word), source: nil)
    }

    /// Copies of stored or recorded rows.
    ///
    /// - Parameters:
    ///   - declaration: the resource of the rows; ``Resource/api`` is `word`.
    ///   - each: passes each row to its argument in the order of the keys, with the collection that it is stored in.
    /// - Throws: `unsupported` when the rows do not fit the declaration.
    package static func copied(
        _ declaration: ResourceDeclaration, word: String, stored: CollectionSchema, from origin: RowsOrigin,
        words: String,
        each: @escaping @Sendable (_ body: (borrowing RowView) throws -> Void) async throws -> Void
    ) throws -> ComparedRows {
        // Checks that the stored columns fit.
        _ = try Resource(declaration, api: word, stored: stored)
        let resource = try Resource(declaration, api: word)
        let source = Source(origin, words: words) { body in
            let copy = RowCopy(from: stored, to: resource.collection)
            try await each { try body(copy.packed($0)) }
        }
        return ComparedRows(resource: resource, source: source)
    }

    /// The workloads with these names, in the order in which they run; all that the rows permit for no names.
    ///
    /// - Throws: `invalidConfiguration` for a name that these rows have no workload of, with the known names.
    package func workloads(named names: [String]) throws -> [Workload] {
        let all = Workload.all(of: resource, from: source?.origin)
        guard !names.isEmpty else { return all }
        for name in names { _ = try Workload.named(name, in: all, of: resource) }
        return all.filter { names.contains($0.name) }
    }
}

/// What copied rows are found by: text that a process passes to another one.
package struct RowsOrigin: Sendable, Hashable, Codable {
    /// The recording; nil for rows of a storage.
    package var recording: String?
    /// The storage, as a configuration file or storage:path; nil for rows of a recording.
    package var storage: String?
    /// The definition of the rows, if it is not known otherwise.
    package var definition: String?

    package init(recording: String? = nil, storage: String? = nil, definition: String? = nil) {
        self.recording = recording
        self.storage = storage
        self.definition = definition
    }
}

/// Copies rows from a collection to one of the same resource in a new storage, whose columns may be in another order.
private struct RowCopy {
    private let collection: CollectionSchema
    /// The position of each field in the stored rows; nil for a field that they lack, or that belongs to their storage.
    private let positions: [Int?]

    init(from stored: CollectionSchema, to collection: CollectionSchema) {
        self.collection = collection
        positions = collection.fields.map { field in
            field.isOwnStorage ? nil : stored.fields.firstIndex { $0.name == field.name }
        }
    }

    func packed(_ row: borrowing RowView) throws -> [UInt8] {
        var builder = RowBuilder()
        builder.begin(collection)
        for (place, position) in positions.enumerated() {
            // A row that was stored before the collection had a field lacks it.
            guard let position, position < row.fieldCount, !row.isNull(position) else { continue }
            switch collection.fields[place].type {
            case .integer: builder.set(place, row.integer(position))
            case .real: builder.set(place, row.real(position))
            case .text: builder.set(place, utf8: row.bytes(position))
            case .bytes: builder.set(place, bytes: row.bytes(position))
            }
        }
        return try builder.finish().copyBytes()
    }
}
