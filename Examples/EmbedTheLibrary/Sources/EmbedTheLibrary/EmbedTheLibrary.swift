import Patchbay
import SourceSynthetic
import StorageSQLite

/// Stores a list of users on this machine, reports its changes, and also works without its source.
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
        // The first set contains the stored rows; each later one contains changes by this or another process.
        for try await changes in gateway.watch(users, limit: 5) {
            for change in changes { report(change) }
            if changes.contains(where: { $0.item.title == name }) { break }
            if work == nil { work = Task { try await refreshAndEdit(users, of: gateway, name: name) } }
        }
        try await work?.value
        try await gateway.close()
    }

    /// Fetches the list, reports the outcome, and changes the name of the first user.
    static func refreshAndEdit(_ users: Resource, of gateway: Gateway, name: String) async throws {
        for await answer in gateway.list(try gateway.question(users), limit: 5) {
            let items = answer.value?.items ?? []
            switch answer.outcome {
            case .stored: print("\(items.count) \(users.plural) are stored; asking \(gateway.source.name)")
            case .fresh, .unchanged, .localOnly: print("\(items.count) \(users.plural) are up to date")
            case .failed(let error): print("\(items.count) \(users.plural) are stored; \(error.message)")
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
