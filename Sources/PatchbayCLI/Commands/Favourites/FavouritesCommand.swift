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

/// The criteria for grouping favourites.
enum FavouriteGrouping: String, CaseIterable, ExpressibleByArgument {
    case initial
}

extension FavouritesCommand {
    struct List: ResourceVerb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List all favourites of a resource in order of title.",
            aliases: ["ls"])

        @OptionGroup var resource: ResourceArgument
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        func run(on declared: DeclaredResource) async throws {
            try await output.write(declared, options) { try await $0.favourites($1) }
        }
    }

    struct Search: ResourceVerb {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "List the favourites of a resource whose handle or title contains a text.")

        @OptionGroup var resource: ResourceArgument
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        @Argument(help: "The text; case does not matter.")
        var text: String

        func run(on declared: DeclaredResource) async throws {
            try await output.write(declared, options) { try await $0.favourites(matching: text, of: $1) }
        }
    }
}

/// The options for printing favourites.
struct FavouriteOutputOptions: ParsableArguments {
    @Option(help: "Group by \"initial\": the first letter of the name, or # for anything else.")
    var group: FavouriteGrouping?

    @OptionGroup var format: FormatOptions

    /// Prints the favourites that `find` returns.
    func write(
        _ declared: DeclaredResource, _ options: ConfigurationOptions,
        _ find: (Gateway, Resource) async throws -> [Favourite]
    ) async throws {
        let declaration = declared.declaration
        try format.check(names(declaration))
        let (favourites, resource) = try await options.withGateway(of: declared, isOffline: true) {
            let resource = try $0.resource(declaration.name)
            return (try await find($0, resource), resource)
        }
        let records =
            group == nil
            ? favourites.map { record($0, of: resource) }
            : InitialGroup.grouping(favourites).flatMap { group in
                group.elements.map { record($0, of: resource, under: group.initial) }
            }
        let initial = group == nil ? [] : [TableColumn("initial")]
        let columns = ItemColumns(declaration).favouriteColumns + [TableColumn("added", field: "added_at")]
        try format.write(Listing(records, names(declaration), .columns(initial + columns)))
        Message.note(Count.words(favourites.count, "favourite"))
        if favourites.count == Limits.pageRows {
            Message.write("at most \(Limits.pageRows) favourites are listed; there may be more")
        }
    }

    private func names(_ declaration: ResourceDeclaration) -> FieldNames {
        FieldNames(
            (group == nil ? [] : ["initial"]) + ItemColumns(declaration).favouriteFields + ["added_at"])
    }

    /// Returns the favourite's copy of the row as a record.
    private func record(
        _ favourite: Favourite, of resource: Resource, under initial: Initial? = nil
    ) -> OutputRecord {
        let group = initial.map { [("initial", OutputValue.text(String($0.character)))] } ?? []
        let item = favourite.item(of: resource)
        let fields = ItemColumns(resource.declaration).favouriteFields.map { name in
            (name, OutputValue(resource.field(named: name).flatMap { item?.shown($0) }))
        }
        return OutputRecord(group + fields + [("added_at", .text(favourite.addedAt.description))])
    }
}
