import Patchbay
import SourceSynthetic
import StorageSQLite

/// Keeps a list of users on this machine, reports its changes, and works without a source, too.
///
///     swift run EmbedTheLibrary users.sqlite
///     swift run EmbedTheLibrary users.sqlite offline
@main struct EmbedTheLibrary {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(
                plugins: PluginSet(storages: [.sqlite], sources: [.synthetic]),
                ["storage.path": words.first ?? "users.sqlite", "source.users": "500"]),
            isOffline: words.contains("offline"))
        let users = try gateway.resource("users")
        let name = "Ada \(UInt32.random(in: 1...1_000_000))"
        var work: Task<Void, any Error>?
        // The first set holds the stored rows; each later one what has changed, here or in another process.
        for try await changes in gateway.watch(users, limit: 5) {
            for change in changes { report(change) }
            if changes.contains(where: { $0.item.title == name }) { break }
            if work == nil { work = Task { try await refreshAndEdit(users, of: gateway, name: name) } }
        }
        try await work?.value
        try await gateway.close()
    }

    /// Fetches the list, reports how it went, and gives the first user a name of our own.
    static func refreshAndEdit(_ users: Resource, of gateway: Gateway, name: String) async throws {
        for await answer in gateway.list(try gateway.question(users), limit: 5) {
            let items = answer.value?.items ?? []
            switch answer.outcome {
            case .stored: print("\(users.counted(items.count)) are stored; asking \(gateway.source.name)")
            case .fresh, .unchanged, .localOnly: print("\(users.counted(items.count)) are up to date")
            case .failed(let error): print("\(users.counted(items.count)) are stored; \(error.message)")
            }
            guard answer.outcome.isEnding else { continue }
            guard let first = items.first else { throw PatchbayError(.notFound, "no user is stored yet") }
            try await gateway.edit(users, first.handle, "name", to: name)
        }
    }

    static func report(_ change: ItemChange) {
        switch change {
        case .inserted(let user): print("+ \(user.key) \(user.handle)")
        case .updated(let user): print("~ \(user.key) \(user.handle) is now called \(user.title)")
        case .deleted(let user): print("- \(user.key) \(user.handle)")
        }
    }
}
