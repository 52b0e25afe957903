import ArgumentParser
import Patchbay

/// `patchbay favourites`: copies of marked rows, which remain when the rows are removed.
struct FavouritesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favourites", abstract: "Mark rows as favourites, and list or search them.",
        discussion: "A favourite is a copy of the row and stays when rows are cleared or deleted upstream.",
        subcommands: [List.self, Search.self, Add.self, Remove.self])
}

extension FavouritesCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Mark a row as a favourite; a row that is not stored is fetched first.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var row: FavouriteRow

        func run() async throws {
            let resource = try row.resource
            let added = try await options.withGateway(of: resource, policy, access: .writing, requests) {
                gateway, policy in
                let declared = try gateway.resource(resource.declaration.name)
                try await gateway.fetch(declared, row.handle, unlessStored: policy)
                return try await gateway.addFavourite(declared, row.handle)
            }
            let what = added.hasChanged ? "is now a favourite" : "is already a favourite"
            Message.note("\(added.value.handle) \(what)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a favourite; the row itself stays stored.",
            aliases: ["rm"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var row: FavouriteRow

        func run() async throws {
            let resource = try row.resource
            let removed = try await options.withGateway(
                of: resource, isOffline: true, access: .writing
            ) { gateway in
                do {
                    return try await gateway.removeFavourite(
                        try gateway.resource(resource.declaration.name), row.handle)
                } catch let error as PatchbayError where error.code == .notFound {
                    throw error.naming("\"patchbay favourites list\"")
                }
            }
            Message.note("\(removed.handle) is no longer a favourite")
        }
    }
}

/// A row of the source's first resource, or of the named one.
struct FavouriteRow: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The resource (the first one when left out), then the row's handle.",
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
    /// The resource that an argument names; the first one for nil.
    ///
    /// - Throws: `ValidationError` when the word names no resource or several.
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
