import BenchmarkRows
import PatchbayCore
import PatchbayDomain

/// The measured resource, with the 23 fields that the bare engines store: 10 numbers and 13 texts, of which 7 may be
/// null.
enum BenchRows {
    static let resource = resource([IndexDeclaration("by_login", [("login", false)], isUnique: true)])
    /// The same rows without a secondary index, for a load that builds the index last.
    static let unindexed = resource([])
    static let byLogin = resource.collection.index(named: "by_login")!

    static let favourite = resource.field(named: "favourite")!

    static let numbers = 0..<Int(ROW_NUMBERS.rawValue)
    static let texts = numbers.endIndex..<numbers.endIndex + Int(ROW_TEXTS.rawValue)
    /// The declared fields come after the gateway's own, which are null here.
    static let firstPosition = resource.fields[0].position

    private static func resource(_ indexes: [IndexDeclaration]) -> Resource {
        let fields =
            [
                "id", "public_repos", "public_gists", "followers", "following", "created_at", "updated_at",
                "fetched_at",
            ].map { FieldDeclaration($0, .integer) }
            + ["site_admin", "favourite"].map { FieldDeclaration($0, .boolean) }
            + [
                "login", "node_id", "avatar_url", "html_url", "url", "type", "name", "company", "blog",
                "location", "email", "bio", "twitter_username",
            ].map { FieldDeclaration($0, .text) }
        var users = ResourceDeclaration(
            "users", fields: fields, key: ["id"], lists: [ListDeclaration(nil, Template([]))])
        users.indexes = indexes
        // The declaration is constant and valid.
        return try! Resource(users, api: "bench")
    }

    // MARK: Digests of all fields, as in `row_digest`. Reads add them up, so that no field can be left out.

    static func digest(_ item: Item) -> UInt64 {
        var sum: UInt64 = 0
        // A span avoids retaining and releasing each field, which a loop over the array would do.
        let fields = resource.fields.span
        for place in fields.indices {
            switch item[fields[place]] {
            case .integer(let number): sum &+= UInt64(bitPattern: number)
            case .boolean(let isTrue): sum &+= isTrue ? 1 : 0
            case .text(let text): sum &+= digest(text)
            default: break
            }
        }
        return sum
    }

    private static func digest(_ text: String) -> UInt64 {
        // Strings made from UTF-8 are contiguous.
        text.utf8.withContiguousStorageIfAvailable { utf8 in
            utf8.isEmpty ? 0 : UInt64(utf8.count) &+ UInt64(utf8[0]) &+ UInt64(utf8[utf8.count - 1])
        } ?? 0
    }

    /// The digest of a row in place.
    static func digest(_ row: borrowing RowView) -> UInt64 {
        var sum: UInt64 = 0
        let first = firstPosition
        for place in numbers { sum &+= UInt64(bitPattern: row.integer(first &+ place)) }
        for place in texts {
            let bytes = row.bytes(first &+ place)
            if bytes.isEmpty { continue }
            let start = bytes.unsafeLoad(fromUncheckedByteOffset: 0, as: UInt8.self)
            let end = bytes.unsafeLoad(fromUncheckedByteOffset: bytes.byteCount &- 1, as: UInt8.self)
            sum &+= UInt64(bytes.byteCount) &+ UInt64(start) &+ UInt64(end)
        }
        return sum
    }
}

extension ItemBuilder {
    /// Sets the fields that a generator has made, except one.
    mutating func set(_ user: UnsafePointer<row_user>, except left: Int? = nil) {
        let fields = BenchRows.resource.fields
        withUnsafeBytes(of: user.pointee.numbers) { numbers in
            for place in BenchRows.numbers where place != left {
                set(fields[place], numbers.load(fromByteOffset: place * 8, as: Int64.self))
            }
        }
        withUnsafeBytes(of: user.pointee.texts) { texts in
            for (offset, place) in BenchRows.texts.enumerated() {
                let text = texts.load(
                    fromByteOffset: offset * MemoryLayout<row_text>.stride, as: row_text.self)
                if let start = text.start {
                    let bytes = UnsafeRawBufferPointer(start: start, count: Int(text.count))
                    set(fields[place], utf8: bytes.bytes)
                } else {
                    setNull(fields[place])
                }
            }
        }
    }
}

extension Reading {
    func item(_ key: Key) throws -> Item? {
        var item: Item?
        _ = try get(key, in: BenchRows.resource.collection) { item = Item($0, of: BenchRows.resource) }
        return item
    }

    func items(_ query: Query) throws -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(min(query.limit, 128))
        try scan(query) {
            items.append(Item($0, of: BenchRows.resource))
            return .next
        }
        return items
    }
}

extension Writing {
    /// Saves items, keeping the stored values of fields that they do not have.
    mutating func save(_ items: [Item], over stored: (Item) throws -> Item?, in collection: CollectionSchema)
        throws
    {
        var builder = RowBuilder()
        for item in items {
            ItemPacking(item, over: try stored(item), state: ItemState()).write(to: &builder)
            try put(try builder.finish(), in: collection)
        }
    }
}
