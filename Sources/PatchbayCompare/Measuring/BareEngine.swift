package import PatchbayCore

/// A storage engine that is used directly through its C interface: a subject that shows how much time Patchbay adds to
/// the engine. The command has none; see Benchmarks/README.md.
package protocol BareEngine: Sendable {
    /// The name on the command line: `bare-lmdb`.
    var name: String { get }
    var version: String { get }
    /// Opens a store for a collection in a folder, or creates it.
    func open(_ folder: String, _ collection: CollectionSchema, _ durability: Durability) -> any BareStore
    /// Removes the data of a folder's store from a server.
    func erase(_ folder: String)
}

/// An open store of a bare engine. Each method is one transaction; the engine ends the process when one fails.
///
/// Rows are C structures on the heap, as a C program would have them. ``take(_:)`` makes packed rows of them, outside
/// of the measured time.
package protocol BareStore: AnyObject {
    func close()
    /// Copies packed rows.
    func rows(_ packed: [[UInt8]]) -> OpaquePointer
    /// The packed rows of some rows, which are freed.
    func take(_ rows: OpaquePointer) throws -> [[UInt8]]
    func free(_ rows: OpaquePointer)
    /// Inserts or replaces rows.
    func put(_ rows: OpaquePointer)
    func get(_ key: Int64) -> OpaquePointer
    /// The rows of a query after a key, or in an index with or from a text.
    func list(_ query: Query) -> OpaquePointer
}
