import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay favourites`: rows that somebody marked, each as it was then.
struct FavouritesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favourites", abstract: "Mark rows as favourites, list and search them.",
        discussion: "A favourite is a copy of the row: it stays when rows are cleared or deleted upstream.",
        subcommands: [List.self, Search.self, Add.self, Remove.self])
}

extension FavouritesCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mark a stored row as a favourite; adding it again updates the copy.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var row: FavouriteRow

        func run() async throws {
            let added = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.addFavourite(try $0.resource(row.resource), row.handle)
            }
            let what = added.hasChanged ? "is a favourite" : "is a favourite already"
            Message.note("\(added.value.handle) \(what)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the mark; the row stays stored.", aliases: ["rm"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var row: FavouriteRow

        func run() async throws {
            let removed = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.removeFavourite(try $0.resource(row.resource), row.handle)
            }
            Message.note("\(removed.handle) is no favourite any more")
        }
    }
}

/// A row, whose resource is the source's first unless another is named.
struct FavouriteRow: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The resource, the first one when it is left out; then the row's handle.",
            valueName: "handle"),
        completion: .list(CommandLineTool.resources.map(\.name)))
    var words: [String]

    func validate() throws {
        guard words.count <= 2 else { throw ValidationError("unexpected argument '\(words[2])'") }
        if words.count == 2, !CommandLineTool.resources.contains(where: { $0.name == words[0] }) {
            throw ValidationError("there is no resource \"\(words[0])\"")
        }
        if handle.isEmpty { throw ValidationError("the handle is empty") }
    }

    var resource: String {
        words.count > 1 ? words[0] : CommandLineTool.resources.first?.name ?? ""
    }

    var handle: String { words.last ?? "" }
}
