import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay searches`: the searches that the storage remembers.
struct SearchesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "searches", abstract: "List or forget recent and denied searches.",
        discussion: """
            The setting search.recent-max determines how many recent searches are kept. Denied searches found nothing \
            and are not sent again for the time of search.deny-seconds.

              patchbay searches list
              patchbay searches list --denied
            """, subcommands: [List.self, Remove.self, Clear.self], defaultSubcommand: List.self)

    /// Returns the noun for the rows of a search, which is stored with the name of their collection: `users`, or
    /// `github users` if several sources have users.
    private static func plural(of collection: String, in gateways: Gateways) -> String {
        let resources = gateways.all.flatMap(\.resources)
        guard let resource = resources.first(where: { $0.collection.name == collection }) else {
            return collection
        }
        let isShared = resources.filter { $0.plural == resource.plural }.count > 1
        return isShared ? "\(resource.api) \(resource.plural)" : resource.plural
    }
}

/// The searches that a command acts on.
struct SearchKind: ParsableArguments {
    @Flag(help: "Act on the denied searches instead of the recent ones.")
    var denied = false

    fileprivate var word: String { denied ? "denied" : "recent" }
    /// The effect of forgetting a search.
    fileprivate var consequence: String { denied ? "can be sent again" : "forgotten" }
}

extension SearchesCommand {
    struct List: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the searches, the newest first.", aliases: ["ls"])

        @OptionGroup var kind: SearchKind
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var format: FormatOptions

        func run() async throws {
            try format.check(names)
            let records = try await options.withGateways(isOffline: true) { try await self.records($0) }
            try format.write(Listing(records, names, .columns(columns)))
            Message.note(Count.words(records.count, "\(kind.word) search", "\(kind.word) searches"))
        }

        private var names: FieldNames {
            FieldNames(
                ["text", "subject"]
                    + (kind.denied ? ["source", "denied_at", "seconds_left"] : ["searched_at"]))
        }

        private var columns: [TableColumn] {
            let times =
                kind.denied
                ? [
                    TableColumn("source", isElastic: true), TableColumn("denied", field: "denied_at"),
                    TableColumn("seconds left", alignment: .right, field: "seconds_left"),
                ] : [TableColumn("searched", field: "searched_at")]
            return [TableColumn("text", isElastic: true), TableColumn("subject")] + times
        }

        private func records(_ gateways: Gateways) async throws -> [OutputRecord] {
            func record(
                _ text: String, _ collection: String, _ more: [(name: String, value: OutputValue)]
            ) -> OutputRecord {
                let subject = SearchesCommand.plural(of: collection, in: gateways)
                return OutputRecord([("text", .text(text)), ("subject", .text(subject))] + more)
            }
            guard kind.denied else {
                return try await gateways.recentSearches.list().map {
                    record($0.text, "\($0.collection)", [("searched_at", .text($0.searchedAt.description))])
                }
            }
            return try await gateways.deniedSearches.list().map { search in
                record(
                    search.text, "\(search.collection)",
                    [
                        ("source", .text(search.source)), ("denied_at", .text(search.deniedAt.description)),
                        ("seconds_left", .integer(search.holdsFor.components.seconds)),
                    ])
            }
        }
    }

    struct Remove: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Forget one search; a denied one can be sent again.",
            aliases: ["rm"])

        @OptionGroup var kind: SearchKind
        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The text of the search; case does not matter.")
        var text: String

        func run() async throws {
            try await options.withGateways(isOffline: true, access: .writing) { gateways in
                do {
                    try await kind.denied
                        ? gateways.deniedSearches.remove(text) : gateways.recentSearches.remove(text)
                } catch let error as PatchbayError where error.code == .notFound {
                    throw error.naming("\"patchbay searches\(kind.denied ? " --denied" : "")\"")
                }
            }
            Message.note("\"\(text)\" \(kind.denied ? "" : "is ")\(kind.consequence)")
        }
    }

    struct Clear: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Forget all recent or denied searches.")

        @OptionGroup var kind: SearchKind
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let count = try await options.withGateways(isOffline: true, access: .writing) {
                try await kind.denied ? $0.deniedSearches.clear() : $0.recentSearches.clear()
            }
            Message.note("\(Count.words(count, "search", "searches")) \(kind.consequence)")
        }
    }
}
