import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbaySystem
import PatchbayTerminal
import Synchronization

extension StorageCommand {
    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: "Copy all rows into another storage of any kind.",
            discussion: """
                Each side is a configuration file or storage:path, as in --to lmdb:users.lmdb. Every collection is \
                copied, whichever program declared it, in its state at the start of the copy; other processes may \
                write to the source meanwhile. The target must be new or empty. To resume an interrupted copy, run the \
                same command again; no other command can use the target until the copy is finished. Running the \
                command after that checks that the target still holds the same rows as the source.
                """)

        @Option(help: ArgumentHelp("Copy this storage; its rows are not changed.", valueName: "storage"))
        var from: String

        @Option(help: ArgumentHelp("Copy into this storage.", valueName: "storage"))
        var to: String

        @Flag(help: "At the end, compare digests of all rows on both sides.")
        var verify = false

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let source = try ChosenStorage(side: from), target = try ChosenStorage(side: to)
            if source.name == target.name {
                throw PatchbayError(
                    .conflict, "source and target are both \(source.name); copy to another path")
            }
            Interruption.explain("run the same command to resume the copy")
            let copy = CopyStorage(from: source.name, try await source.make(.reading)) {
                try await target.make(.creating)
            }
            let outcome = try await ProgressBar.errors.showing {
                try await copy.run(isVerified: verify, progress: $0)
            }
            let records = outcome.collections.filter { $0.rows > 0 }.map {
                OutputRecord([
                    ("collection", .text($0.collection.name)), ("rows", .integer(Int64($0.rows))),
                    ("digest", OutputValue($0.digest?.description)),
                ])
            }
            let columns = [
                TableColumn("collection"), TableColumn("rows", alignment: .right), TableColumn("digest"),
            ]
            try RecordWriter(output.format).write(records, columns: columns)
            let check = verify ? "digests are equal" : "row counts are equal; --verify compares the rows"
            Message.note("\(outcome.wasFinished ? "already " : "")copied to \(target.name), \(check)")
        }
    }

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

    struct Backup: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Write a consistent copy of the storage to a new file or folder.",
            discussion: """
                The copy has the same format as the original; set storage.path to open it. Other processes may read \
                and write meanwhile.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The path of the copy, which must not exist yet.", completion: .file())
        var path: String

        func validate() throws {
            if path.isEmpty { throw ValidationError("the path of the backup is empty") }
        }

        func run() async throws {
            if let slash = path.lastIndex(of: "/"), slash != path.startIndex,
                !FileSystem.exists(at: String(path[..<slash]))
            {
                let folder = String(path[..<slash])
                throw FileSystem.isTaken(folder)
                    ? PatchbayError(.invalidValue, "\"\(folder)\" is not a folder; choose another path")
                    : PatchbayError(
                        .notFound,
                        "the folder \"\(folder)\" does not exist; create it, or choose another path")
            }
            let chosen = try ChosenStorage(options.load())
            try await Interruption.cancelling("nothing was backed up") { [path] in
                try await chosen.withStore { store in
                    try await ProgressBar.errors.showing {
                        try await store.storage.backup(to: path, progress: $0)
                    }
                }
                let backup = try ChosenStorage(side: "\(chosen.plugin):\(path)")
                let copy = try await Store(backup.make(.writing), schema: nil, access: .writing)
                try await copy.endIncarnation()
                try await copy.close()
            }
            Message.note("backed up to \"\(path)\"")
        }
    }
}
