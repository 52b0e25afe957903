import ArgumentParser

/// The root of all commands.
struct PatchbayCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        NamedCommands.configuration(of: Self.self) { made }
    }

    private static var made: CommandConfiguration {
        var configuration = CommandConfiguration(
            commandName: "patchbay",
            abstract: "Any source, any store, one config line; reads come from your own store first.",
            discussion: """
                Without a configuration, patchbay reads a bundled recording and stores its rows in SQLite:

                  patchbay users list
                  patchbay users list --storage lmdb --format json
                  patchbay users show LOGIN --offline

                "patchbay resources" lists what the source provides. The verb may come first: "patchbay list users" is \
                the same as "patchbay users list".

                Short options mean the same in every command: -f is --format, -n --limit, -o --output, -q --quiet and \
                -y --yes.
                """,
            version: Build().description,
            subcommands: ResourcePlaces.commands + NamedCommands.among(fixed))
        // The parser looks twice for its own option for completion scripts, except below a super-command.
        if !NamedCommands.mayRequestScript { configuration._superCommandName = "" }
        return configuration
    }

    /// Returns whether the word is a command that does not depend on the source.
    static func hasCommand(_ word: String) -> Bool { words.contains(word) }

    private static let words = Set(fixed.flatMap { $0.names })

    /// The commands that do not depend on the source.
    private static let fixed: [any ParsableCommand.Type] = [
        FavouritesCommand.self, ResourcesCommand.self, DefinitionCommand.self, SearchCommand.self,
        SyncCommand.self, StorageCommand.self, CompareCommand.self, RecordCommand.self,
        RecordingCommand.self, ServeCommand.self, CacheCommand.self, APICommand.self, LimitsCommand.self,
        DoctorCommand.self,
        PluginsCommand.self, ConfigCommand.self, ManualCommand.self, CompletionCommand.self,
        CompleteCommand.self, SelftestCommand.self, CompareWorkerCommand.self,
    ]
}
