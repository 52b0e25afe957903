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

    /// What messages call the rows of a search, which is noted with the name of their collection.
    static func plural(of collection: String, in gateway: Gateway) -> String {
        gateway.resources.first { $0.collection.name == collection }?.plural ?? collection
    }
}
