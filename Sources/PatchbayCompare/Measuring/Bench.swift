import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import SourceSynthetic
import Synchronization

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
    private(set) var rows = 0
    private var openedStore: Store?
    private var openedGateway: Gateway?
    /// What answers in place of the API of the rows.
    private let source: Source

    var population: Population
    let feed: PreparedFeed
    private(set) var clock = SteppedClock()

    /// - Throws: `invalidConfiguration` for an unknown storage, and the errors of creating the folder and of opening
    ///   the definition of copied rows.
    init(_ setup: BenchSetup, _ plugins: ComparePlugins) async throws {
        self.setup = setup
        self.plugins = plugins
        engine = plugins.engines.first { $0.name == setup.subject.storage }
        plugin = engine == nil ? try plugins.storages.plugin(named: setup.subject.storage) : nil
        var source = Source(name: "prepared rows")
        if let copy = setup.copy {
            let (resources, declaration) = try await plugins.declaration(of: copy)
            source.word = resources.word
            source.resources = resources.resources
            population = Population(
                try RowsFile(copy.file), of: try Resource(declaration, api: resources.word))
        } else {
            source.word = SyntheticFeed.word
            source.resources = [SyntheticFeed.users]
            population = try Population(seed: setup.seed)
        }
        feed = PreparedFeed()
        source.feed = feed
        self.source = source
        folder = try DataFolder(making: setup.folder)
    }

    /// Opens an empty storage after removing the last one.
    func begin(rows: Int) async throws {
        try await close()
        try folder.empty()
        try await eraseServer(in: folder.path)
        self.rows = rows
        population = population.restarted()
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
        guard let storage = try await openStorage(in: folder.path) else { return }
        let gateway = try await Gateway(storage: storage, source: source, now: clock.now)
        openedStore = gateway.store
        openedGateway = gateway
        population.resource = try gateway.resource(population.resource.name)
    }

    /// Opens the storage with the chosen settings; nil for a bare engine. Every path is inside the folder and the name
    /// on a server is unique, because a comparison must never touch existing data.
    private func openStorage(in folder: String) async throws -> (any Storage)? {
        guard let plugin else { return nil }
        var values: [String: String] = [:]
        for setting in setup.subject.settings { values[setting.name] = setting.value }
        for option in plugin.options {
            switch option.type {
            case .path: values[option.key] = "\(folder)/\(option.key)"
            case .space: values[option.key] = "patchbay_compare_\(TextDigest(of: folder))"
            default: break
            }
        }
        return try await plugin.open(Settings("storage", values))
    }

    func close() async throws {
        bare?.close()
        bare = nil
        let (store, gateway) = (openedStore, openedGateway)
        (openedStore, openedGateway) = (nil, nil)
        if let gateway { try await gateway.close() } else { try await store?.close() }
    }

    /// Closes the storage and removes its files.
    func end() async throws {
        defer { folder.removeWithParent() }
        try await close()
        try await eraseServer(in: folder.path)
    }

    /// Removes the data of a storage on a server, which has no local files.
    private func eraseServer(in folder: String) async throws {
        engine?.erase(folder)
        guard let storage = try await openStorage(in: folder),
            storage.features.contains(.sharedBetweenMachines)
        else {
            return
        }
        try await storage.erase()
    }

    /// The open storage.
    var store: Store { openedStore! }
    /// The gateway over the open storage.
    var gateway: Gateway { openedGateway! }
    /// The resource of the rows.
    var resource: Resource { population.resource }

    /// Rows in queries of reports.
    func names(_ rows: some Sequence<Item>) -> String {
        "\(resource.name) " + rows.map(\.keyText).joined(separator: " ")
    }

    /// Opens the recording of the rows with an empty storage of its own, and removes that afterwards.
    ///
    /// - Parameter body: takes the gateway, and what syncs the recording.
    func withReplay(
        _ body: (Gateway, _ sync: () async throws -> Void) async throws -> Void
    ) async throws {
        let folder = try DataFolder(making: folder.path + "/sync")
        defer { folder.remove() }
        let replay = try await plugins.replay(setup.copy!.origin)
        let storage = try await openStorage(in: folder.path)!
        let gateway = try await Gateway(storage: storage, source: replay.source, now: clock.now)
        do {
            try await body(gateway) { try await replay.sync(gateway) }
        } catch {
            // The first error is the one to report.
            try? await gateway.close()
            throw error
        }
        try await gateway.close()
        try await eraseServer(in: folder.path)
    }

    /// The engine below the storage and its version.
    func engineDescription() async throws -> String {
        if let engine { return engine.version }
        return try await store.storage.describe().engine
    }

    /// The reason why the subject cannot run a workload; nil when it can.
    func refusal(of workload: Workload) -> String? {
        if engine != nil {
            let isRunnable = workload.isBare && setup.copy == nil
            return isRunnable ? nil : "needs more than a bare engine"
        }
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
}

/// A feed with pages that exist before the clock runs, so that the time is that of the gateway and the storage.
final class PreparedFeed: ResourceFeed {
    private let pages = Mutex<[Int64: ItemPage]>([:])

    func prepare(_ pages: [Int64: ItemPage]) { self.pages.withLock { $0 = pages } }

    func page(_ request: ItemRequest, ifChangedFrom validator: Validator) async throws -> Fetched<ItemPage> {
        let start = request.next.map { Int64($0.dropFirst("after ".count)) } ?? request.question.after
        guard let start, let page = pages.withLock({ $0[start] }) else {
            throw PatchbayError(.internalError, "the workload did not prepare the page \(request)")
        }
        return .changed(page, Validator(entityTag: "\"page \(start)\""))
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        throw PatchbayError(.internalError, "the workload did not prepare \"\(handle)\"")
    }
}

/// The clock for the timestamps in rows. It advances by a millisecond per operation, so that every subject stores the
/// same.
final class SteppedClock: Sendable {
    private let steps = Mutex<Int64>(0)

    func step() { steps.withLock { $0 += 1 } }

    @Sendable func now() -> Timestamp {
        Timestamp(milliseconds: Population.storedAt.milliseconds + steps.withLock { $0 })
    }
}
