import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import SourceSynthetic

/// One subject during measurements: its storage in a separate folder, and what the workloads know about its rows.
///
/// Only one task at a time may use it.
final class Bench {
    let setup: BenchSetup
    let folder: DataFolder
    private let plugins: ComparePlugins
    private let plugin: Plugin<any Storage>?
    private let engine: (any BareEngine)?
    /// The open store of a bare engine; nil for a storage.
    private(set) var bare: (any BareStore)?
    private var dataset = Dataset.users
    private(set) var rows = 0
    private var openedStore: Store?
    private var openedGateway: Gateway?
    private var openedResource: Resource?

    var population: Population
    let feed = PreparedFeed()
    private(set) var clock = SteppedClock()
    /// The rows of a recording.
    var recorded: [Item] = []

    /// - Throws: `invalidConfiguration` for an unknown storage, and the errors of creating the folder.
    init(_ setup: BenchSetup, _ plugins: ComparePlugins) throws {
        self.setup = setup
        self.plugins = plugins
        engine = plugins.engines.first { $0.name == setup.subject.storage }
        plugin = engine == nil ? try plugins.storages.plugin(named: setup.subject.storage) : nil
        folder = try DataFolder(making: setup.folder)
        population = try Population(seed: setup.seed)
    }

    /// Opens an empty storage for a dataset after removing the last one.
    func begin(_ dataset: Dataset, rows: Int) async throws {
        try await close()
        try folder.empty()
        try await eraseServer()
        self.dataset = dataset
        self.rows = rows
        population = try Population(seed: setup.seed)
        clock = SteppedClock()
        try await open()
    }

    /// Opens the storage again.
    func open() async throws {
        if let engine {
            let setting = setup.subject.settings.first { $0.name == "durability" }
            let durability = setting.flatMap { Durability(rawValue: $0.value) } ?? .full
            bare = engine.open(folder.path, population.resource.collection, durability)
            return
        }
        guard let storage = try await openStorage() else { return }
        let gateway = try await Gateway(storage: storage, source: try await makeSource(), now: clock.now)
        openedStore = gateway.store
        openedGateway = gateway
        openedResource = gateway.resources.first {
            $0.declaration.lists[0].template.arguments.isEmpty && $0.declaration.parent == nil
        }
        guard openedResource != nil else {
            throw PatchbayError(.notFound, "the source \(gateway.source.name) has no list to compare")
        }
        if dataset == .users { population.resource = resource }
    }

    /// Opens the storage with the chosen settings; nil for a bare engine. Every path is inside the folder and the name
    /// on a server is unique, because a comparison must never touch existing data.
    private func openStorage() async throws -> (any Storage)? {
        guard let plugin else { return nil }
        var values: [String: String] = [:]
        for setting in setup.subject.settings { values[setting.name] = setting.value }
        for option in plugin.options {
            switch option.type {
            case .path: values[option.key] = "\(folder.path)/\(option.key)"
            case .space: values[option.key] = "patchbay_compare_\(TextDigest(of: folder.path))"
            default: break
            }
        }
        return try await plugin.open(Settings("storage", values))
    }

    func close() async throws {
        bare?.close()
        bare = nil
        let (store, gateway) = (openedStore, openedGateway)
        (openedStore, openedGateway, openedResource) = (nil, nil, nil)
        if let gateway { try await gateway.close() } else { try await store?.close() }
    }

    /// Closes the storage and removes its files.
    func end() async throws {
        defer { folder.removeWithParent() }
        try await close()
        try await eraseServer()
    }

    /// Removes the data of a storage on a server, which has no local files.
    private func eraseServer() async throws {
        engine?.erase(folder.path)
        guard let storage = try await openStorage(), storage.features.contains(.sharedBetweenMachines) else {
            return
        }
        try await storage.erase()
    }

    /// The open storage.
    var store: Store { openedStore! }
    /// The gateway over the open storage.
    var gateway: Gateway { openedGateway! }
    /// The resource of the rows: the first whose list needs no argument and no parent.
    var resource: Resource { openedResource! }

    /// The engine below the storage and its version.
    func engineDescription() async throws -> String {
        if let engine { return engine.version }
        return try await store.storage.describe().engine
    }

    /// The reason why the subject cannot run a workload; nil when it can.
    func refusal(of workload: Workload) -> String? {
        if engine != nil { return workload.isBare ? nil : "needs more than a bare engine" }
        let isKept = store.storage.features.contains(.durable)
        return workload.needsFiles && !isKept ? "keeps nothing when it is closed" : nil
    }

    /// The size of the storage, here or on a server; nil when it keeps nothing.
    func bytesOnDisk() async throws -> Int? {
        // An engine on a server has no files here.
        if engine != nil { return folder.bytesOnDisk > 0 ? folder.bytesOnDisk : nil }
        let storage = store.storage
        guard storage.features.contains(.durable) else { return nil }
        guard storage.features.contains(.sharedBetweenMachines) else { return folder.bytesOnDisk }
        return try await storage.describe().files.reduce(0) { $0 + $1.bytes }
    }

    private func makeSource() async throws -> Source {
        if dataset == .recording, let recording = setup.recording {
            return try await plugins.openRecording(recording)
        }
        var source = Source(name: "prepared rows")
        source.word = SyntheticFeed.word
        source.resources = [SyntheticFeed.users]
        source.feed = feed
        return source
    }
}
