import PatchbayCompare
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit

/// A comparison in this process with one turn per round.
struct SmallComparison {
    var storages: [Plugin<any Storage>]
    var engines: [any BareEngine] = []
    var workloads: [String]
    var rows = [300]
    var rounds: Int? = 1
    var seconds = 0.0
    var seed: UInt64 = 1
    /// The rows; nil for made-up users.
    var compared: ComparedRows?
    var resources: [SourceResources] = []
    var isInterrupted: @Sendable () -> Bool = { false }

    static let memory = Plugin<any Storage>("memory", "rows in memory") { _ in MemoryStorage() }

    /// A plugin that returns the same storage each time it is opened.
    static func plugin(_ name: String, _ storage: any Storage) -> Plugin<any Storage> {
        Plugin(name, "for a test") { _ in storage }
    }

    func run() async throws -> Comparison {
        let folder = try TemporaryDirectory()
        let settings = CompareSettings(
            rows: rows, workloads: workloads, seconds: seconds, threads: 2, rounds: rounds, seed: seed,
            durability: nil, startedAt: Timestamp(milliseconds: 0))
        let plugins = ComparePlugins(
            storages: Registry("storage", storages), engines: engines, resources: { _ in resources })
        let subjects = (storages.map(\.name) + engines.map(\.name)).map {
            Subject(name: $0, storage: $0, settings: [])
        }
        return try await CompareStorages.run(
            subjects, of: try compared ?? .synthetic(), settings: settings, folder: folder.path,
            place: .thisProcess(plugins),
            isInterrupted: isInterrupted)
    }
}
