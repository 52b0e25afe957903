import ArgumentParser

/// `patchbay storage`: what can be done with everything that is stored.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Look at, check, copy, export or import what is stored.",
        subcommands: [
            Info.self, Verify.self, Compact.self, Backup.self, Export.self, Import.self, Copy.self,
            Migrate.self,
        ])
}
