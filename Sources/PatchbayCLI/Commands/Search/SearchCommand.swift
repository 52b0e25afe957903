import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay search`: what the source finds, what it found last, and what is stored.
struct SearchCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "search", abstract: "Let the source search, and keep what it finds.",
            subcommands: SearchRows<FirstPlace>.all() + [Recent.self, Deny.self])
    }

    /// What messages call the rows of a search, which is noted with the name of their collection: `users`, or `github
    /// users` where several sources have some.
    static func plural(of collection: String, in gateways: Gateways) -> String {
        let resources = gateways.all.flatMap(\.resources)
        guard let resource = resources.first(where: { $0.collection.name == collection }) else {
            return collection
        }
        let isShared = resources.filter { $0.plural == resource.plural }.count > 1
        return isShared ? "\(resource.api) \(resource.plural)" : resource.plural
    }
}
