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
            let resource = try row.resource
            let added = try await options.withGateway(
                of: resource, isOffline: true, access: .writing
            ) {
                try await $0.addFavourite(try $0.resource(resource.declaration.name), row.handle)
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
            let resource = try row.resource
            let removed = try await options.withGateway(
                of: resource, isOffline: true, access: .writing
            ) {
                try await $0.removeFavourite(try $0.resource(resource.declaration.name), row.handle)
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
        completion: .list(CommandLineTool.resources.map(\.noun)))
    var words: [String]

    func validate() throws {
        guard words.count <= 2 else { throw ValidationError("unexpected argument '\(words[2])'") }
        _ = try DeclaredResource(named: words.count == 2 ? words[0] : nil)
        if handle.isEmpty { throw ValidationError("the handle is empty") }
    }

    var resource: DeclaredResource {
        get throws { try DeclaredResource(named: words.count == 2 ? words[0] : nil) }
    }

    var handle: String { words.last ?? "" }
}

extension DeclaredResource {
    /// The resource that a word means, for a command that takes one among its arguments; the first for nil.
    ///
    /// - Throws: an error about a wrong argument.
    init(named word: String?) throws {
        let declared = CommandLineTool.declared
        let meant = word.map(declared.meant) ?? Array(declared.all.prefix(1))
        if let word, let ambiguity = declared.ambiguity(of: word) { throw ValidationError(ambiguity) }
        guard let first = meant.first else {
            let known = declared.all.map(\.noun).joined(separator: ", ")
            throw ValidationError(
                word.map { "there is no resource \"\($0)\"; known: \(known)" }
                    ?? "the source has no resources")
        }
        self = first
    }
}
