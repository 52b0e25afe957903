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
            Interruption.explain("nothing was migrated; the same command begins anew")
            let chosen = try ChosenStorage(options.load())
            let before = Set(chosen.backups), tasks = Mutex<[String]>([])
            let version = try await chosen.withStore(
                .gateway, .writing,
                hearing: { progress in
                    tasks.withLock { if $0.last != progress.task { $0.append(progress.task) } }
                }
            ) { store in
                try await store.requireFinishedCopy()
                try await ProgressBar.errors.showing { show in
                    try await store.fillFoldedNames { progress in
                        tasks.withLock { if $0.last != progress.task { $0.append(progress.task) } }
                        show(progress)
                    }
                }
                return store.schema.version
            }
            let done = tasks.withLock { $0 }, backups = chosen.backups.filter { !before.contains($0) }
            for task in done { Message.write("done: \(task)") }
            for backup in backups { Message.write("what was there before is in \"\(backup)\"") }
            Message.write(
                done.isEmpty && backups.isEmpty
                    ? "nothing to migrate: the storage has schema \(version)"
                    : "the storage has schema \(version) now")
        }
    }
}
