import ArgumentParser

/// The root of all commands.
struct PatchbayCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "patchbay",
            abstract: "Any source, any store, one config line; reads come from your own store first.",
            discussion: """
                Without a configuration it lists the users of a bundled recording and keeps them in SQLite:

                  patchbay users list
                  patchbay users list --storage lmdb --format json
                  patchbay users show LOGIN --offline

                "patchbay resources" lists what the source provides; "patchbay list users" is the same as "patchbay \
                users list".

                The same letter means the same everywhere: -f is --format, -n --limit, -o --output, -q --quiet and -y \
                --yes.
                """,
            version: Build().description,
            subcommands: ResourceCommand<FirstPlace>.all() + fixed)
    }

    /// Whether a word is a command whatever the source provides.
    static func hasCommand(_ word: String) -> Bool {
        fixed.contains { $0._commandName == word || $0.configuration.aliases.contains(word) }
    }

    /// The commands that are there whatever the source provides.
    private static let fixed: [any ParsableCommand.Type] = [
        FavouritesCommand.self, ResourcesCommand.self, DefinitionCommand.self, SearchCommand.self,
        SyncCommand.self, StorageCommand.self, CompareCommand.self, RecordCommand.self,
        RecordingCommand.self, ServeCommand.self, CacheCommand.self, APICommand.self, LimitsCommand.self,
        DoctorCommand.self,
        PluginsCommand.self, ConfigCommand.self, ManualCommand.self, CompletionCommand.self,
        CompleteCommand.self, SelftestCommand.self, CompareWorkerCommand.self,
    ]
}
