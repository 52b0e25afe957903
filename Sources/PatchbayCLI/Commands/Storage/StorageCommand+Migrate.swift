import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayGateway
import Synchronization

extension StorageCommand {
    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring the storage to this program's schema, and say what was done.",
            discussion: """
                Every command that opens the storage does so; this one does nothing else. What was there before a \
                change of the schema is kept beside it, as NAME.before-schema-N.
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
            for backup in backups { Message.note("what was there before is in \"\(backup)\"") }
            Message.note(
                done.isEmpty && backups.isEmpty
                    ? "nothing to migrate: the storage has schema \(version)"
                    : "the storage has schema \(version) now")
        }
    }
}
