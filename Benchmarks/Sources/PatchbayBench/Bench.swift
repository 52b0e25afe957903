import Patchbay
import PatchbayCore
import PatchbayDomain
import StorageFlatFile
import StorageLMDB
import StorageSQLite

/// One store and the workloads on it.
final class Bench: Sendable {
    let options: Options
    let rows: RowSource
    private let openStore = StoreSlot()

    init(_ options: Options) throws {
        self.options = options
        self.rows = try RowSource(library: options.library)
    }

    func run(_ workload: Workload) async throws -> Measurement {
        switch workload {
        case .load, .loadIndexLast:
            try await close()
            return try await load(indexLast: workload == .loadIndexLast)
        case .open:
            try await close()
            return try await opening()
        case .check: return try await check(try await store())
        case .scan: return try await scan(try await store())
        case .toggle: return try await toggle(try await store())
        case .save: return try await save(try await store())
        case .mixed: return try await mixed(try await store())
        default: return try await reads(workload, try await store())
        }
    }

    /// The store, opened on first use.
    func store() async throws -> Store {
        if let store = openStore.value { return store }
        let store = try await open(.indexed)
        openStore.value = store
        return store
    }

    /// Opens the store again, like a program.
    func open(_ schema: Schema) async throws -> Store {
        let plugin = try Registry.storages.plugin(named: options.storage)
        let path = "\(options.folder)/store.\(options.storage)"
        let settings = Settings("storage", ["path": path, "durability": options.durability])
        return try await Store(try await plugin.open(settings), schema: schema)
    }

    func close() async throws {
        try await openStore.value?.close()
        openStore.value = nil
    }
}

extension Registry where Product == any Storage {
    /// The storages that can be measured.
    static let storages = Registry("storage", [.sqlite, .lmdb, .flatfile, .memory])
}

extension Schema {
    static let indexed = Schema(version: 1, [BenchRows.resource.collection])
}
