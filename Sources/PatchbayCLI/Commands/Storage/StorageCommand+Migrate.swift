import ArgumentParser
import Patchbay
import PatchbayTerminal
import Synchronization

extension StorageCommand {
    struct Migrate: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Migrate the storage to this program's schema, and report what was done.",
            discussion: """
                Every command that writes to the storage does this first; this one does nothing else. The data from \
                before a schema change is kept next to the storage, as NAME.before-schema-N.
                """)

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            Interruption.explain("nothing was migrated; run the same command again to start over")
            let configuration = try options.load()
            let chosen = try ChosenStorage(configuration)
            let before = Set(chosen.backups), tasks = Mutex<[String]>([])
            let gateways: Gateways
            do {
                gateways = try await ProgressBar.errors.showing { show in
                    try await configuration.openAll(
                        access: .writing, isOffline: true,
                        progress: { progress in
                            tasks.withLock { if $0.last != progress.task { $0.append(progress.task) } }
                            show(progress)
                        })
                }
            } catch let error as PatchbayError where error.code == .notFound {
                throw chosen.missing
            }
            let version = gateways.store.schema.version
            try await gateways.close()
            let done = tasks.withLock { $0 }, backups = chosen.backups.filter { !before.contains($0) }
            for task in done { Message.note("done: \(task)") }
            for backup in backups { Message.note("the data from before is in \"\(backup)\"") }
            Message.note(
                done.isEmpty && backups.isEmpty
                    ? "nothing to migrate: the storage has schema \(version)"
                    : "the storage now has schema \(version)")
        }
    }
}
