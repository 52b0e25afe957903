import Patchbay
import SourceSynthetic
import StorageSQLite

/// Keeps a list of users on this machine, tells what changes in it, and works without a source, too.
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
        let name = "Ada \(UInt32.random(in: 1...1_000_000))"
        var work: Task<Void, any Error>?
        // The first set tells what is stored; each later one what somebody has changed, here or in another process.
        for try await changes in gateway.watchUsers(limit: 5) {
            for change in changes { tell(change) }
            if changes.contains(where: { $0.user.name == name }) { break }
            if work == nil { work = Task { try await refreshAndEdit(gateway, name: name) } }
        }
        try await work?.value
        try await gateway.close()
    }

    /// Asks the source for the list, which tells how it went, and gives the first user a name of our own.
    static func refreshAndEdit(_ gateway: Gateway, name: String) async throws {
        for await answer in gateway.listUsers(limit: 5) {
            let users = answer.value?.users ?? []
            switch answer.outcome {
            case .stored: print("\(users.count) users are stored; asking \(gateway.source.name)")
            case .fresh, .unchanged, .localOnly: print("\(users.count) users are up to date")
            case .failed(let error): print("\(users.count) users are stored; \(error.message)")
            }
            guard answer.outcome.isEnding else { continue }
            guard let first = users.first else { throw PatchbayError(.notFound, "no user is stored yet") }
            try await gateway.editUser(first.login, name: name)
        }
    }

    static func tell(_ change: UserChange) {
        switch change {
        case .inserted(let user): print("+ \(user.id) \(user.login)")
        case .updated(let user): print("~ \(user.id) \(user.login) is called \(user.name ?? "nothing") now")
        case .deleted(let user): print("- \(user.id) \(user.login)")
        }
    }
}
