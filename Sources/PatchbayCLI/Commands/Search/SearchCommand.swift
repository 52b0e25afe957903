import ArgumentParser
import Patchbay

/// `patchbay search`: searches the source, its last results and stored rows.
struct SearchCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        NamedCommands.configuration(of: Self.self) { made }
    }

    private static var made: CommandConfiguration {
        CommandConfiguration(
            commandName: "search", abstract: "Search the source, and store the rows it finds.",
            subcommands: ResourcePlaces.searches + NamedCommands.among(fixed))
    }

    /// The subcommands that do not depend on the source.
    static let fixed: [any ParsableCommand.Type] = [Recent.self, Deny.self]

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
