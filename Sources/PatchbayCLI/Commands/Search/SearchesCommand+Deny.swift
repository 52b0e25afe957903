import ArgumentParser
import Patchbay

extension SearchesCommand {
    /// `patchbay searches deny`: the searches that found nothing and are not sent again for a while.
    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny",
            abstract:
                "List or remove denied searches, which found nothing and are not sent again for a while.",
            discussion: "The setting search.deny-seconds determines for how long.",
            subcommands: [List.self, Remove.self, Clear.self], defaultSubcommand: List.self)

        struct List: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List the denied searches, the newest first.", aliases: ["ls"])

            @OptionGroup var options: ConfigurationOptions

            @OptionGroup var format: FormatOptions

            func run() async throws {
                try format.check(Self.names)
                let records = try await options.withGateways(isOffline: true) { gateways in
                    try await gateways.deniedSearches.list().map { search in
                        let subject = SearchesCommand.plural(of: "\(search.collection)", in: gateways)
                        return OutputRecord([
                            ("text", .text(search.text)), ("subject", .text(subject)),
                            ("source", .text(search.source)),
                            ("denied_at", .text(search.deniedAt.description)),
                            ("seconds_left", .integer(search.holdsFor.components.seconds)),
                        ])
                    }
                }
                let columns = [
                    TableColumn("text", isElastic: true), TableColumn("subject"),
                    TableColumn("source", isElastic: true), TableColumn("denied", field: "denied_at"),
                    TableColumn("seconds left", alignment: .right, field: "seconds_left"),
                ]
                try format.write(Listing(records, Self.names, .columns(columns)))
                Message.note(Count.words(records.count, "denied search", "denied searches"))
            }

            private static let names = FieldNames(["text", "subject", "source", "denied_at", "seconds_left"])
        }

        struct Remove: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "remove", abstract: "Remove a denied search, so that it can be sent again.",
                aliases: ["rm"])

            @OptionGroup var options: ConfigurationOptions

            @Argument(help: "The text of the search; case does not matter.")
            var text: String

            func run() async throws {
                try await options.withGateways(isOffline: true, access: .writing) { gateways in
                    do {
                        try await gateways.deniedSearches.remove(text)
                    } catch let error as PatchbayError where error.code == .notFound {
                        throw error.naming("\"patchbay searches deny\"")
                    }
                }
                Message.note("\"\(text)\" can be searched again")
            }
        }

        struct Clear: ConfiguredCommand {
            static let configuration = CommandConfiguration(
                commandName: "clear", abstract: "Remove all denied searches.")

            @OptionGroup var options: ConfigurationOptions

            func run() async throws {
                let count = try await options.withGateways(isOffline: true, access: .writing) {
                    try await $0.deniedSearches.clear()
                }
                Message.note(Count.words(count, "search", "searches") + " can be sent again")
            }
        }
    }
}
