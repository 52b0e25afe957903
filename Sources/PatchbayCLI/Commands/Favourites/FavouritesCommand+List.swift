import ArgumentParser
import Patchbay
import PatchbayTerminal

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
