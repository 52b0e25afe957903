import ArgumentParser
import Patchbay

/// The criteria for grouping favourites.
enum FavouriteGrouping: String, CaseIterable, ExpressibleByArgument {
    case initial
}

extension FavouritesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List all favourites of a resource in order of title.",
            aliases: ["ls"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        func run() async throws {
            try await output.write(options) { try await $0.favourites() }
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "List the favourites of a resource whose handle or title contains a text.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        @Argument(help: "The text; case does not matter.")
        var text: String

        func run() async throws {
            try await output.write(options) { try await $0.favourites(matching: text) }
        }
    }
}

/// The options for printing favourites.
struct FavouriteOutputOptions: ParsableArguments {
    @Option(help: "Group by \"initial\": the first letter of the name, or # for anything else.")
    var group: FavouriteGrouping?

    @Option(
        name: .customLong("of"),
        help: ArgumentHelp("The resource; the first one when left out.", valueName: "resource"),
        completion: .list(CommandLineTool.resources.map(\.noun)))
    var named: String?

    @OptionGroup var format: FormatOptions

    func validate() throws { _ = try DeclaredResource(named: named) }

    /// Prints the favourites that `find` returns.
    func write(
        _ options: ConfigurationOptions, _ find: (Gateway) async throws -> [Favourite]
    ) async throws {
        let declared = try DeclaredResource(named: named), declaration = declared.declaration
        try format.check(names(declaration))
        let (all, resource) = try await options.withGateway(of: declared, isOffline: true) {
            (try await find($0), try $0.resource(declaration.name))
        }
        let favourites = all.filter { $0.row.collection == declared.collection }
        let records =
            group == nil
            ? favourites.map { record($0, of: resource) }
            : InitialGroup.grouping(favourites).flatMap { group in
                group.elements.map { record($0, of: resource, under: group.initial) }
            }
        let initial = group == nil ? [] : [TableColumn("initial")]
        let columns = ItemColumns(declaration).favouriteColumns + [TableColumn("added", field: "added_at")]
        try format.write(Listing(records, names(declaration), .columns(initial + columns)))
        let others = named == nil ? self.others(all, than: declared) : ""
        Message.note(Count.words(favourites.count, "favourite") + others)
    }

    /// Names the other resources, of any source, that have such favourites.
    private func others(_ favourites: [Favourite], than declared: DeclaredResource) -> String {
        let counts = CommandLineTool.declared.all.compactMap { other -> String? in
            let count = favourites.count { $0.row.collection == other.collection }
            return count == 0 || other.collection == declared.collection ? nil : "\(count) of \(other.noun)"
        }
        if counts.isEmpty { return "" }
        return " of \(declared.noun); also \(counts.joined(separator: ", ")), with --of"
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
