import ArgumentParser

/// `patchbay storage`: the commands for the whole storage.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Inspect, check, copy, export or import the storage.",
        subcommands: [
            Info.self, Verify.self, Compact.self, Backup.self, Export.self, Import.self, Copy.self,
            Migrate.self,
        ])
}
