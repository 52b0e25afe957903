import ArgumentParser

/// The root of all commands.
struct PatchbayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patchbay",
        abstract: "Any source, any store, one config line; reads come from your own store first.",
        discussion: """
            Without a configuration, patchbay reads a bundled recording and stores its rows in SQLite:

              patchbay list users
              patchbay list users --storage lmdb --format json
              patchbay show users Marlow-Quern --offline

            The verb comes first, then the resource. "patchbay resources" lists what the source provides, \
            "patchbay resources RESOURCE" one resource with its lists and fields.

            Short options mean the same in every command that has them: -f is --format, -n --limit, -o --output, \
            -q --quiet and -y --yes.
            """,
        version: Build().description,
        subcommands: [
            ListRows.self, ShowRow.self, SearchRows.self, FindCommand.self, EditRow.self, RevertRow.self,
            SyncCommand.self,
            WatchRows.self, ChangesCommand.self, QueryCommand.self, BrowseRows.self, InitRows.self,
            ClearRows.self, ImportRawRows.self, PictureOfRow.self, FavouritesCommand.self,
            ResourcesCommand.self, SearchesCommand.self,
            DefinitionCommand.self, StorageCommand.self, CompareCommand.self, RecordCommand.self,
            RecordingCommand.self, ServeCommand.self, MCPCommand.self, CacheCommand.self, AuditCommand.self,
            APICommand.self,
            LimitsCommand.self,
            DoctorCommand.self, PluginsCommand.self, ConfigCommand.self, ManualCommand.self,
            CompletionCommand.self, HelpCommand.self, VersionCommand.self, SelftestCommand.self,
            CompareWorkerCommand.self, UnknownWordsCommand.self,
        ], defaultSubcommand: UnknownWordsCommand.self)
}
