import ArgumentParser

/// The root of all commands.
struct PatchbayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patchbay",
        abstract: "Any source, any store, one config line; reads come from your own store first.",
        discussion: """
            Without a configuration it lists the users of a bundled recording and keeps them in SQLite:

              patchbay users list
              patchbay users list --storage lmdb --format json
              patchbay users show LOGIN --offline
            """,
        version: Build().description,
        subcommands: [
            UsersCommand.self, FavouritesCommand.self, RepositoriesCommand.self, CommitsCommand.self,
            SearchCommand.self, SyncCommand.self, StorageCommand.self, CompareCommand.self,
            RecordCommand.self,
            RecordingCommand.self, APICommand.self, LimitsCommand.self, DoctorCommand.self,
            PluginsCommand.self, ConfigCommand.self, ManualCommand.self,
            SelftestCommand.self, CompareWorkerCommand.self,
        ])
}
