import CBareEngines
package import PatchbayCompare
package import PatchbayCore

/// An engine in C.
///
/// Safe and sendable, because its functions and names are constant.
@safe package struct CEngine: BareEngine, @unchecked Sendable {
    package static let sqlite = unsafe CEngine(engine: bare_sqlite)
    package static let lmdb = unsafe CEngine(engine: bare_lmdb)
    /// Uses the server that `PATCHBAY_POSTGRES` names.
    package static let postgres = unsafe CEngine(engine: bare_postgres)

    private let engine: bare_engine

    package var name: String { unsafe String(cString: engine.name) }
    package var version: String { unsafe String(cString: engine.version()!) }

    package func open(
        _ folder: String, _ collection: CollectionSchema, _ durability: Durability
    ) -> any BareStore {
        unsafe OpenEngine(engine, folder, collection, durability)
    }

    package func erase(_ folder: String) { unsafe engine.erase?(folder) }
}

/// An engine's open store for a collection whose key is one integer.
///
/// Safe, because it alone uses the store until it closes it.
@safe private final class OpenEngine: BareStore {
    private let engine: bare_engine
    private let collection: CollectionSchema
    private let store: UnsafeMutableRawPointer
    /// The indexes over one text, in the engine's order.
    private let indexes: [Index]

    init(_ engine: bare_engine, _ folder: String, _ collection: CollectionSchema, _ durability: Durability) {
        precondition(collection.fields.count <= BARE_COLUMNS_MAX, "an engine has a limit of columns")
        precondition(collection.fields.allSatisfy { $0.type != .real }, "an engine stores numbers and texts")
        unsafe self.engine = unsafe engine
        self.collection = collection
        let indexes = collection.indexes.filter { $0.parts.count == 1 }
        self.indexes = indexes
        let levels: [Durability: bare_durability] = [
            .full: BARE_FULL, .normal: BARE_NORMAL, .off: BARE_OFF,
        ]
        var layout = bare_layout()
        layout.key = UInt32(collection.primaryKey.parts[0].position)
        for field in collection.fields {
            let kind = field.type == .integer ? BARE_NUMBER : field.type == .text ? BARE_TEXT : BARE_BYTES
            unsafe bare_layout_add(&layout, kind)
        }
        for index in indexes { unsafe bare_layout_index(&layout, UInt32(index.parts[0].position)) }
        unsafe store = unsafe engine.open(folder, &layout, levels[durability]!)!
    }

    func free(_ rows: OpaquePointer) { unsafe bare_rows_free(UnsafeMutablePointer(rows)) }

    func close() { unsafe engine.close(store) }

    func put(_ rows: OpaquePointer) { unsafe engine.put(store, UnsafePointer(rows)) }

    func get(_ key: Int64) -> OpaquePointer {
        unsafe found { unsafe engine.get(store, key, $0) }
    }

    func list(_ query: Query) -> OpaquePointer {
        let limit = UInt32(clamping: query.limit)
        if case .integer(let key)? = query.after?.values.first, query.walksPrimaryKey {
            return unsafe found { unsafe engine.page(store, key, limit, query.order == .descending, $0) }
        }
        let (key, isPrefix): (Key?, Bool) =
            switch query.bounds {
            case .equal(let key): (key, false)
            case .prefix(let key): (key, true)
            default: (nil, false)
            }
        guard let number = indexes.firstIndex(of: query.index), case .text(var text)? = key?.values.first
        else { preconditionFailure("a bare engine has no such query") }
        return unsafe found { rows in
            text.withUTF8 { utf8 in
                unsafe utf8.withMemoryRebound(to: CChar.self) {
                    unsafe engine.search(
                        store, UInt32(number), $0.baseAddress, $0.count, isPrefix, limit, rows)
                }
            }
        }
    }

    private func found(_ read: (UnsafeMutablePointer<bare_rows>) -> Void) -> OpaquePointer {
        let rows = unsafe bare_rows_create(UInt32(collection.fields.count))!
        unsafe read(rows)
        return OpaquePointer(rows)
    }

    // MARK: Packed rows

    func rows(_ packed: [[UInt8]]) -> OpaquePointer {
        unsafe found { rows in
            for bytes in packed { unsafe add(RowView(unchecked: bytes.span.bytes), to: rows) }
        }
    }

    private func add(_ row: borrowing RowView, to rows: UnsafeMutablePointer<bare_rows>) {
        var values = unsafe [bare_value](repeating: bare_value(), count: collection.fields.count)
        for (place, field) in collection.fields.enumerated() where !row.isNull(place) {
            guard field.type != .integer else {
                unsafe values[place].kind = BARE_NUMBER
                unsafe values[place].number = row.integer(place)
                continue
            }
            unsafe values[place].kind = BARE_TEXT
            unsafe row.bytes(place).withUnsafeBytes { text in
                // The row outlives this function, which copies it.
                unsafe values[place].text = unsafe text.baseAddress?.assumingMemoryBound(to: CChar.self)
                unsafe values[place].count = UInt32(text.count)
            }
        }
        unsafe bare_rows_add(rows, values)
    }

    func take(_ rows: OpaquePointer) throws -> [[UInt8]] {
        let rows = unsafe UnsafeMutablePointer<bare_rows>(rows)
        defer { unsafe bare_rows_free(rows) }
        var builder = RowBuilder()
        return try unsafe (0..<rows.pointee.count).map { number in
            let values = unsafe UnsafeBufferPointer(
                start: rows.pointee.rows[number]!, count: collection.fields.count)
            builder.begin(collection)
            for unsafe(place, value) in unsafe values.enumerated() where unsafe value.kind != BARE_NULL {
                let text = unsafe UnsafeRawBufferPointer(start: value.text, count: Int(value.count))
                switch collection.fields[place].type {
                case .integer, .real: unsafe builder.set(place, value.number)
                case .text: unsafe builder.set(place, utf8: text.bytes)
                case .bytes: unsafe builder.set(place, bytes: text.bytes)
                }
            }
            return try builder.finish().copyBytes()
        }
    }
}
