/// The digest of a collection's contents: two storages with equal digests contain the same rows.
///
/// It covers each row's values in the order of the fields, row by row in the order of the primary key, so it does not
/// depend on a storage's layout of bytes. Fields that belong to the storage are left out. 128 bits of SipHash-2-4.
package struct ContentDigest: Sendable {
    /// The number of rows added so far.
    package private(set) var rows = 0
    private var hash = SipHash()
    private let fields: [(position: Int, type: FieldType)]

    /// Creates the digest of an empty collection.
    package init(of collection: CollectionSchema) {
        fields = collection.fields.enumerated().filter { !$0.element.isOwnStorage }.map { ($0, $1.type) }
    }

    /// The digest of the rows so far.
    package var value: UInt128 { hash.finish() }

    /// Adds the next row; rows must be added in the order of the primary key.
    package mutating func combine(_ row: borrowing RowView) {
        rows += 1
        var nulls: UInt64 = 0
        for (place, field) in fields.enumerated() where row.isNull(field.position) {
            nulls |= 1 << UInt64(place)
        }
        hash.combine(nulls)
        for (place, (position, type)) in fields.enumerated() where nulls >> UInt64(place) & 1 == 0 {
            switch type {
            case .integer, .real: hash.combine(row.slot(position))
            case .text, .bytes: hash.combine(counted: row.bytes(position))
            }
        }
    }
}

extension ContentDigest: Equatable {
    /// Whether the numbers of rows and the digests are equal; names of collections and fields are not compared.
    package static func == (left: ContentDigest, right: ContentDigest) -> Bool {
        left.rows == right.rows && left.value == right.value
    }
}

extension ContentDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { value.hexadecimal }
}

extension Storage {
    /// The digest of all rows of a collection, read a batch at a time; it is consistent only when nothing writes at the
    /// same time.
    package func digest(
        of collection: CollectionSchema, progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> ContentDigest {
        let total = try await read { try $0.count(Query(collection)) }
        var digest = ContentDigest(of: collection)
        var query: Query? = Query(collection)
        while let next = query {
            let batch = try await batch(next)
            for position in 0..<batch.count { digest.combine(batch.row(position)) }
            query = batch.rest(of: next)
            progress(WorkProgress("computing the digest of \(collection.name)", done: digest.rows, of: total))
        }
        return digest
    }
}
