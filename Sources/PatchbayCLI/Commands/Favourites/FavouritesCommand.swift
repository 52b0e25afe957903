import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay favourites`: copies of marked rows, each as it was when it was marked.
struct FavouritesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favourites", abstract: "Mark rows as favourites, and list or search them.",
        discussion: """
            A favourite is a copy of the row and stays when rows are cleared or deleted upstream.

              patchbay favourites add users Marlow-Quern
              patchbay favourites list users
            """,
        subcommands: [List.self, Search.self, Add.self, Remove.self])
}

extension FavouritesCommand {
    struct Add: ResourceVerb {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Mark a row as a favourite; a row that is not stored is fetched first.")

        @OptionGroup var resource: ResourceArgument
        @OptionGroup var row: HandleArgument
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions

        func run(on declared: DeclaredResource) async throws {
            let handle = try row.checked(declared)
            let added = try await options.withGateway(of: declared, policy, access: .writing, requests) {
                gateway, policy in
                let resource = try gateway.resource(declared.declaration.name)
                try await gateway.fetch(resource, handle, unlessStored: policy)
                return try await gateway.addFavourite(resource, handle)
            }
            let what = added.hasChanged ? "is now a favourite" : "is already a favourite"
            Message.note("\(added.value.handle) \(what)")
        }
    }

    struct Remove: ResourceVerb {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a favourite; the row itself stays stored.",
            aliases: ["rm"])

        @OptionGroup var resource: ResourceArgument
        @OptionGroup var row: HandleArgument
        @OptionGroup var options: ConfigurationOptions

        func run(on declared: DeclaredResource) async throws {
            let handle = try row.checked(declared)
            let removed = try await options.withGateway(
                of: declared, isOffline: true, access: .writing
            ) { gateway in
                do {
                    return try await gateway.removeFavourite(
                        try gateway.resource(declared.declaration.name), handle)
                } catch let error as PatchbayError where error.code == .notFound {
                    throw error.naming("\"patchbay favourites list \(declared.noun)\"")
                }
            }
            Message.note("\(removed.handle) is no longer a favourite")
        }
    }
}
