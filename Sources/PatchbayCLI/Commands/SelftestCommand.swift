import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay selftest`: commands for tools that kill, starve and damage a storage and then check what survived.
///
/// `write` prints `TRY id` before and `ACK id digest` after each durable write; `verify` prints `ROW id digest` for
/// every row that it reads.
struct SelftestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Write and verify rows for crash tests.", shouldDisplay: false,
        subcommands: [Write.self, Verify.self])
}

/// The storage that a selftest runs on: `lmdb:DIR` is the storage lmdb in the folder DIR. For a storage without a path,
/// the text after the colon is the value of its first option.
struct SelftestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The storage and the folder to keep it in.", valueName: "storage:folder"))
    var store: String

    @Option(name: .customLong("set"), help: ArgumentHelp("Set another key.", valueName: "key=value"))
    var settings: [String] = []

    @Option(help: "How durable each write is: full, normal or off.")
    var durability = Durability.full.rawValue

    func open(_ resource: Resource) async throws -> Store {
        let parts = store.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw PatchbayError(.invalidConfiguration, "--store \"\(store)\" is not storage:folder")
        }
        let place = try CommandLineTool.plugins.storages.plugin(named: parts[0]).options.first
        let isPath = place?.type == .path
        let settings = settings.map { setting in
            let pair = setting.split(separator: "=", maxSplits: 1).map(String.init)
            return (pair.first ?? "", pair.count == 2 ? pair[1] : "")
        }
        let flags =
            [
                ("storage", parts[0]),
                ("storage.\(place?.key ?? "path")", isPath ? "\(parts[1])/store.\(parts[0])" : parts[1]),
                ("storage.durability", durability),
            ] + settings
        let configuration = try GatewayConfiguration(
            plugins: CommandLineTool.plugins, flags: flags.map { .init($0.0, $0.1, name: "--store") },
            environment: [:])
        let storage = try await configuration.openStorage()
        return try await ProgressBar.errors.showing {
            try await Store(
                storage, schema: Schema.gateway.adding([resource.collection]), progress: $0)
        }
    }

    /// Returns the resource whose rows are written: the first one that the source's definition declares.
    static func resource() async throws -> Resource {
        let declared = await ConfiguredResources(try ConfigurationOptions.parse([])).resources
        guard let first = declared.chosen.first else {
            throw PatchbayError(.unsupported, "no definition declares a resource whose rows could be written")
        }
        return try Resource(first.declaration, api: first.word)
    }

    /// Returns the rows for some numbers; each is as long as a real row and different from all others.
    func items(_ ids: Range<Int64>, of resource: Resource) throws -> [Item] {
        let names = resource.key + [resource.handle].compactMap(\.self)
        let long = resource.fields.last { $0.type == .text && $0.declaration.isDetail }
        let filled = resource.fields.filter {
            $0 == long || names.contains($0) || $0.type == .text && resource.title.contains($0)
        }
        var builder = ItemBuilder(), row = RowBuilder(), items: [Item] = []
        for id in ids {
            builder.begin(resource)
            for field in filled {
                switch field.type {
                case .integer: builder.set(field, id)
                case _ where names.contains(field): builder.set(field, "selftest-\(id)")
                case _ where field != long: builder.set(field, "Selftest \(id &* 7_919)")
                default: builder.set(field, String(repeating: "row \(id) ", count: Int(id % 40)))
                }
            }
            var state = ItemState(fetchedAt: Timestamp(milliseconds: id))
            state.detailFetchedAt = state.fetchedAt
            ItemPacking(try builder.finish(), over: nil, state: state).write(to: &row)
            items.append(Item(try row.finish(), of: resource))
        }
        return items
    }
}

extension Item {
    /// The digest of the whole row.
    fileprivate var digest: String {
        var digest = ContentDigest(of: resource.collection)
        withRow { digest.combine($0) }
        return digest.description
    }
}

extension SelftestCommand {
    struct Write: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "write", abstract: "Write rows and print each attempt and each acknowledgement.")

        @OptionGroup var options: SelftestOptions

        @Option(help: "The first id to write.", limits: 1 ... .max)
        var start: Int64 = 1

        @Option(help: "How many rows to write; unlimited when left out.", limits: 1 ... .max)
        var count: Int64?

        @Option(help: "How many rows to write per transaction.", limits: 1 ... .max)
        var batch: Int64 = 1

        func run() async throws {
            let options = options, resource = try await SelftestOptions.resource()
            let store = try await options.open(resource)
            let end = count.map { start + $0 } ?? .max
            var next = start
            while next < end {
                let items = try options.items(next..<min(end, next + batch), of: resource)
                try StandardStream.output.write(items.map { "TRY \($0.keyText)\n" }.joined())
                try await store.write { writing in
                    for item in items {
                        try item.withRow { try writing.put($0, in: resource.collection) }
                    }
                }
                try StandardStream.output.write(
                    items.map { "ACK \($0.keyText) \($0.digest)\n" }.joined())
                next += batch
            }
            try await store.close()
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Print the digest of every stored row.")

        @OptionGroup var options: SelftestOptions

        func run() async throws {
            let resource = try await SelftestOptions.resource()
            let store = try await options.open(resource)
            try await store.read { reading in
                try reading.scan(Query(resource.collection)) { row in
                    let item = Item(row, of: resource)
                    try StandardStream.output.write("ROW \(item.keyText) \(item.digest)\n")
                    return .next
                }
            }
            try await store.close()
        }
    }
}
