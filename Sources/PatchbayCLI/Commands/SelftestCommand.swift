import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain

/// `patchbay selftest`: verbs for tools that kill, starve and damage a storage and then look what is left.
///
/// `write` prints `TRY id` before and `ACK id digest` after each durable write; `verify` prints `ROW id digest` for
/// every row that it reads.
struct SelftestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "selftest", abstract: "Write and verify rows for crash tests.", shouldDisplay: false,
        subcommands: [Write.self, Verify.self])
}

/// Which storage a selftest runs on: `lmdb:DIR` is the storage lmdb in the folder DIR.
struct SelftestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The storage and the folder to keep it in.", valueName: "storage:folder"))
    var store: String

    @Option(help: "How durable each write is: full, normal or off.")
    var durability = Durability.full.rawValue

    func open() async throws -> Store {
        let parts = store.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            throw PatchbayError(.invalidConfiguration, "--store \"\(store)\" is not storage:folder")
        }
        let flags = [
            ("storage", parts[0]), ("storage.path", "\(parts[1])/store.\(parts[0])"),
            ("storage.durability", durability),
        ]
        let configuration = try GatewayConfiguration(
            plugins: CommandLineTool.plugins, flags: flags.map { .init($0.0, $0.1, name: "--store") },
            environment: [:])
        let storage = try await configuration.openStorage()
        return try await ProgressBar.errors.showing {
            try await Store(storage, schema: .gateway, progress: $0)
        }
    }

    /// The user that stands for a number: as long as a real one, different for each.
    func user(_ id: Int64) -> StoredUser {
        var user = User(id: id, login: "selftest-\(id)", url: "https://api.example.org/users/selftest-\(id)")
        var detail = User.Detail()
        detail.name = "Selftest \(id &* 7_919)"
        detail.bio = String(repeating: "row \(id) ", count: Int(id % 40))
        user.detail = detail
        var stored = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: id))
        stored.detailFetchedAt = stored.fetchedAt
        return stored
    }

    /// A digest of everything that a row holds (64-bit FNV-1a).
    ///
    /// - Throws: `corrupted` for a row that nobody can have written.
    func digest(_ user: StoredUser) throws -> String {
        var builder = RowBuilder()
        builder.begin(StoredUser.collection)
        user.write(to: &builder)
        let bytes: [UInt8]
        do {
            bytes = try builder.finish().copyBytes()
        } catch let error as PatchbayError {
            throw PatchbayError(
                .corrupted, "user \(user.user.id) in \"\(store)\" is not as it was written", cause: error)
        }
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 16)
    }
}

extension SelftestCommand {
    struct Write: AsyncParsableCommand {
        @OptionGroup var options: SelftestOptions

        @Option(help: "The first id to write.", limits: 1 ... .max)
        var start: Int64 = 1

        @Option(help: "How many to write; without end when left out.", limits: 1 ... .max)
        var count: Int64?

        @Option(help: "How many to write in one transaction.", limits: 1 ... .max)
        var batch: Int64 = 1

        func run() async throws {
            let store = try await options.open()
            let end = count.map { start + $0 } ?? .max
            var next = start
            while next < end {
                let users = (next..<min(end, next + batch)).map(options.user)
                try StandardStream.output.write(users.map { "TRY \($0.user.id)\n" }.joined())
                try await store.write { writing in
                    for user in users { try writing.put(user) }
                }
                try StandardStream.output.write(
                    users.map { "ACK \($0.user.id) \(try options.digest($0))\n" }.joined())
                next += batch
            }
            try await store.close()
        }
    }

    struct Verify: AsyncParsableCommand {
        @OptionGroup var options: SelftestOptions

        func run() async throws {
            let store = try await options.open()
            let options = options
            try await store.read { reading in
                try reading.scan(Query(StoredUser.collection)) { row in
                    let user = StoredUser(row)
                    try StandardStream.output.write("ROW \(user.user.id) \(try options.digest(user))\n")
                    return .next
                }
            }
            try await store.close()
        }
    }
}
