import ArgumentParser
import Patchbay

extension SearchesCommand {
    /// `patchbay searches recent`: the most recent searches.
    struct Recent: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recent", abstract: "List recent searches, or forget some of them.",
            discussion: "The setting search.recent-max determines how many are kept.",
            subcommands: [List.self, Remove.self, Clear.self], defaultSubcommand: List.self)

        struct List: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List the recent searches, the newest first.", aliases: ["ls"])

            @OptionGroup var options: ConfigurationOptions

            @OptionGroup var format: FormatOptions

            func run() async throws {
                try format.check(Self.names)
                let records = try await options.withGateways(isOffline: true) { gateways in
                    try await gateways.recentSearches.list().map {
                        let subject = SearchesCommand.plural(of: "\($0.collection)", in: gateways)
                        return OutputRecord([
                            ("text", .text($0.text)), ("subject", .text(subject)),
                            ("searched_at", .text($0.searchedAt.description)),
                        ])
                    }
                }
                let columns = [
                    TableColumn("text", isElastic: true), TableColumn("subject"),
                    TableColumn("searched", field: "searched_at"),
                ]
                try format.write(Listing(records, Self.names, .columns(columns)))
                Message.note(Count.words(records.count, "recent search", "recent searches"))
            }

            private static let names = FieldNames(["text", "subject", "searched_at"])
        }

        struct Remove: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "remove", abstract: "Forget one search.", aliases: ["rm"])

            @OptionGroup var options: ConfigurationOptions

            @Argument(help: "The text of the search; case does not matter.")
            var text: String

            func run() async throws {
                try await options.withGateways(isOffline: true, access: .writing) { gateways in
                    do {
                        try await gateways.recentSearches.remove(text)
                    } catch let error as PatchbayError where error.code == .notFound {
                        throw error.naming("\"patchbay searches recent\"")
                    }
                }
                Message.note("\"\(text)\" is forgotten")
            }
        }

        struct Clear: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "clear", abstract: "Forget all searches.")

            @OptionGroup var options: ConfigurationOptions

            func run() async throws {
                let count = try await options.withGateways(isOffline: true, access: .writing) {
                    try await $0.recentSearches.clear()
                }
                Message.note(Count.words(count, "search", "searches") + " forgotten")
            }
        }
    }
}
