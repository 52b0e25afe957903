import Dispatch
import PatchbayCore
import Testing

@testable import PatchbayTestKit

@Suite("memory storage") struct MemoryStorageTests {
    @Test("keeps the promises", arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { _ in MemoryStorage() }.check(promise)
    }

    private static let id = Field("id", .integer), name = Field("name", .text, isOptional: true)
    private static let colour = Field("colour", .text, isOptional: true)
    private static let rows: [Values] = (1...5).map { [.integer($0), .text("n\($0)"), .text("c\($0)")] }

    private static func pets(_ fields: [Field], _ indexes: [Index] = [], version: Int = 1) -> Schema {
        Schema(version: version, [CollectionSchema("pets", key: 0, indexes: indexes, fields: fields)])
    }

    /// A storage with rows under an index of the name, closed.
    private func filled() async throws -> MemoryStorage {
        let storage = MemoryStorage()
        let schema = Self.pets([Self.id, Self.name, Self.colour], [Index("by_name", .exact(1))])
        try await storage.open(schema)
        try await storage.put(Self.rows, in: schema.collections[0])
        try await storage.close()
        return storage
    }

    @Test("opened again with other indexes and a further field, it builds and drops what differs")
    func migrates() async throws {
        let storage = try await filled()
        let byColour = Index("by_colour", .exact(2), unique: true)
        let age = Field("age", .integer, isOptional: true)
        let schema = Self.pets([Self.id, Self.name, Self.colour, age], [byColour], version: 2)
        try await storage.open(schema)
        let pets = schema.collections[0]
        #expect(try await storage.rows(Query(pets, by: byColour)) == Self.rows.map { $0 + [.null] })
        #expect(try await Store(storage, schema: schema).verify().faults.isEmpty)
    }

    @Test("opened again with fields in another order, or an older version, it is refused and stays as it is")
    func refuses() async throws {
        let storage = try await filled()
        for other in [
            Self.pets([Self.id, Self.colour, Self.name]), Self.pets([Self.id, Self.name], version: 0),
        ] {
            let error = await #expect(throws: PatchbayError.self) { try await storage.open(other) }
            #expect(error?.code == .unsupported)
        }
        let schema = try await storage.open(StorageOpening(nil))
        let pets = schema.collections[0]
        #expect(try await storage.rows(Query(pets, by: pets.indexes[0])) == Self.rows)
    }

    @Test("closing waits for the write that is running, whose rows are there when it is opened again")
    func closesAfterWrite() async throws {
        let storage = MemoryStorage(), schema = Self.pets([Self.id, Self.name, Self.colour])
        try await storage.open(schema)
        let isWriting = DispatchSemaphore(value: 0), mayEnd = DispatchSemaphore(value: 0)
        let writing = Task.detached {
            try await storage.write { writer in
                isWriting.signal()
                mayEnd.wait()
                try writer.put(Self.rows[0], in: schema.collections[0])
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isWriting.wait()
                continuation.resume()
            }
        }
        let closing = Task.detached { try await storage.close() }
        mayEnd.signal()
        try await writing.value
        try await closing.value
        let error = await #expect(throws: PatchbayError.self) { try await storage.read { _ in } }
        #expect(error?.message == PatchbayError.storageNotOpen().message)
        try await storage.open(schema)
        #expect(try await storage.rows(Query(schema.collections[0])) == [Self.rows[0]])
    }
}
