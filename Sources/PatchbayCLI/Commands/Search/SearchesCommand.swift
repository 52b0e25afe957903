import ArgumentParser
import Patchbay

/// `patchbay searches`: the searches that the storage remembers.
struct SearchesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "searches", abstract: "List or forget recent and denied searches.",
        subcommands: [Recent.self, Deny.self])

    /// Returns the noun for the rows of a search, which is stored with the name of their collection: `users`, or
    /// `github users` if several sources have users.
    static func plural(of collection: String, in gateways: Gateways) -> String {
        let resources = gateways.all.flatMap(\.resources)
        guard let resource = resources.first(where: { $0.collection.name == collection }) else {
            return collection
        }
        let isShared = resources.filter { $0.plural == resource.plural }.count > 1
        return isShared ? "\(resource.api) \(resource.plural)" : resource.plural
    }
}
