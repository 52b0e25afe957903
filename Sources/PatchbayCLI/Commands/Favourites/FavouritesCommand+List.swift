import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What favourites may be grouped by.
enum FavouriteGrouping: String, CaseIterable, ExpressibleByArgument {
    case initial
}

extension FavouritesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all favourites in the order of their names.", aliases: ["ls"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        func run() async throws {
            try output.check()
            try output.write(try await options.withGateway(isOffline: true) { try await $0.listFavourites() })
        }
    }

    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the favourites whose login or name holds a text.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: FavouriteOutputOptions

        @Argument(help: "The text; big and small letters are alike.")
        var text: String

        func run() async throws {
            try output.check()
            try output.write(
                try await options.withGateway(isOffline: true) { try await $0.searchFavourites(text) })
        }
    }
}

/// How favourites are printed.
struct FavouriteOutputOptions: ParsableArguments {
    @Option(help: "Group them by \"initial\": the first letter of the name, or # for anything else.")
    var group: FavouriteGrouping?

    @OptionGroup var format: FormatOptions

    @Flag(name: [.customShort("q"), .long], help: "Do not say how many there are.")
    var quiet = false

    func check() throws { try format.check(names) }

    func write(_ favourites: [StoredFavourite]) throws {
        let records =
            group == nil
            ? favourites.map { record($0) }
            : FavouriteGroup.grouping(favourites).flatMap { group in
                group.favourites.map { record($0, under: group.initial) }
            }
        let initial = group == nil ? [] : [TableColumn("initial")]
        let columns =
            initial + [
                TableColumn("id", alignment: .right), TableColumn("login"),
                TableColumn("name", isElastic: true), TableColumn("added", field: "added_at"),
            ]
        try format.write(Listing(records, names, .columns(columns)))
        if quiet { return }
        Message.write(favourites.count == 1 ? "1 favourite" : "\(favourites.count) favourites")
    }

    private var names: FieldNames {
        FieldNames((group == nil ? [] : ["initial"]) + FavouriteOutputOptions.names)
    }

    private static let names = [
        "id", "login", "name", "type", "site_admin", "avatar_url", "url", "html_url", "added_at",
    ]

    private func record(_ favourite: StoredFavourite, under initial: Initial? = nil) -> OutputRecord {
        let group = initial.map { [("initial", OutputValue.text(String($0.character)))] } ?? []
        return OutputRecord(
            group + [
                ("id", .integer(favourite.id)), ("login", .text(favourite.login)),
                ("name", OutputValue(favourite.name)), ("type", .text(favourite.type)),
                ("site_admin", .bool(favourite.isSiteAdmin)),
                ("avatar_url", OutputValue(favourite.avatarURL)), ("url", .text(favourite.url)),
                ("html_url", OutputValue(favourite.htmlURL)),
                ("added_at", .text(favourite.addedAt.description)),
            ])
    }
}
