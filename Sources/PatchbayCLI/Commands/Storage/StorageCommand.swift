import ArgumentParser
import Patchbay
import PatchbayQuery
import PatchbayTerminal

/// `patchbay storage`: the commands for the whole storage.
struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage", abstract: "Inspect, check, copy, export or import the storage.",
        subcommands: [
            Info.self, Verify.self, Compact.self, Backup.self, Export.self, Import.self, Copy.self,
            Migrate.self,
        ])

    struct Info: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "info", abstract: "Show the storage's contents, files and settings.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Also show the definition of each collection.")
        var schema = false

        @Option(name: .format, help: "The output format.")
        var format = OutputFormat.table

        func run() async throws {
            let chosen = try ChosenStorage(options.load())
            let records = try await chosen.withStore { store in
                try await StorageInfo.records(of: store, plugin: chosen.plugin, withSchema: schema)
            }
            let columns = [
                TableColumn("about"), TableColumn("name", wraps: true), TableColumn("value", wraps: true),
            ]
            try RecordWriter(format).write(records, columns: columns)
        }
    }
}

/// The description of a storage as records.
private enum StorageInfo {
    static func records(
        of store: Store, plugin: String, withSchema: Bool
    ) async throws -> [OutputRecord] {
        let description = try await store.storage.describe()
        let collections = store.schema.transferable.collections
        let sources =
            collections.contains(StoredAPI.collection)
            ? try await store.read { try $0.list(StoredAPI.self, Query(StoredAPI.collection)) } : []
        let names = sources.isEmpty ? nil : sources.map(\.description).joined(separator: ", ")
        var records = [
            record("storage", "plugin", .text(plugin)),
            record("storage", "engine", .text(description.engine)),
            record("storage", "rows of source", OutputValue(names)),
            record("storage", "schema", .integer(Int64(store.schema.version))),
            record("storage", "features", .text(store.storage.features.words)),
            record("storage", "bytes", .integer(Int64(description.files.reduce(0) { $0 + $1.bytes }))),
        ]
        if let name = try await store.unfinishedCopy() {
            records.append(record("storage", "unfinished copy of", .text(name)))
        }
        for collection in collections {
            let count = try await store.read { try $0.count(Query(collection)) }
            // Edits of stored rows are in their rows.
            let name =
                collection.name == StoredEdit.collection.name ? "edits of cleared rows" : collection.name
            records.append(record("rows", name, .integer(Int64(count))))
        }
        if withSchema { records += collections.map { record("definition", $0.name, .text($0.definition)) } }
        records += description.files.map { record("bytes", $0.path, .integer(Int64($0.bytes))) }
        if let index = try await TextIndex.file(of: store) {
            records.append(record("bytes", index.path, .integer(Int64(index.bytes))))
        }
        records += description.concerns.map { record("warning", $0.finding, .text($0.advice)) }
        records += description.settings.map { record("setting", $0.name, .text($0.value)) }
        return records
    }

    private static func record(_ about: String, _ name: String, _ value: OutputValue) -> OutputRecord {
        OutputRecord([("about", .text(about)), ("name", .text(name)), ("value", value)])
    }
}

extension StorageFeatures {
    /// The features in words.
    fileprivate var words: String {
        let all: [(StorageFeatures, String)] = [
            (.durable, "durable"), (.sharedBetweenProcesses, "shared between processes"),
            (.sharedBetweenMachines, "shared between machines"), (.readsDuringWrite, "reads during a write"),
            (.backup, "backup"),
        ]
        return all.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

extension StorageCommand {
    struct Verify: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Check all stored data for damage.",
            discussion: """
                Checks the files as far as their format allows, then every row and every index entry, and the texts \
                for "patchbay find" if there are any. SQLite has no checksums, so a value whose bytes have changed on \
                the disk may remain unnoticed there; in lmdb and flatfile every row has one. At most \
                \(Verification.faultsMax) faults go to standard output; if there are any, the exit status is \
                \(ExitStatus.corrupted.rawValue). Other processes may write meanwhile.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .format, help: "The output format.")
        var format = OutputFormat.table

        func run() async throws {
            Interruption.explain("nothing was changed")
            let hasTexts = try await ChosenStorage(options.load()).withStore { store in
                try Schema.gateway.requireNotOlder(than: store.schema)
                let verification = try await ProgressBar.errors.showing {
                    try await store.verify(progress: $0)
                }
                if !verification.faults.isEmpty { try write(verification.faults) }
                note(verification, of: store.schema.transferable)
                if !verification.faults.isEmpty { throw ExitStatus.corrupted }
                // An unfinished copy may have no faults.
                try await store.requireFinishedCopy()
                return try await TextIndex.file(of: store) != nil
            }
            let faults = hasTexts ? try await textFaults() : []
            if !faults.isEmpty || format == .json { try write(faults) }
            guard let first = faults.first else { return }
            let path = first.file ?? ""
            Message.note("the text index differs from the storage; remove \"\(path)\", and it is made again")
            throw ExitStatus.corrupted
        }

        /// Compares the texts for `patchbay find` with the rows. An index with faults is made again when it is used.
        private func textFaults() async throws -> [StorageFault] {
            try await options.withGateways(isOffline: true) { gateways in
                let index = try await TextIndex(gateways)
                return try await ProgressBar.errors.showing { try await index.verify(progress: $0) }
            }
        }

        private func note(_ verification: Verification, of schema: Schema) {
            let counts = schema.collections.compactMap { collection in
                verification.collections.first { $0.rows > 0 && $0.collection == collection }
                    .map { "\($0.rows) \(collection.name)" }
            }
            let rows = counts.isEmpty ? "an empty storage" : counts.joined(separator: ", ")
            let faults = verification.faults
            let more = faults.count == Verification.faultsMax ? " or more" : ""
            let found =
                faults.isEmpty ? "no faults" : faults.count == 1 ? "1 fault" : "\(faults.count)\(more) faults"
            Message.note("\(found) in \(rows)")
        }

        private func write(_ faults: [StorageFault]) throws {
            let records = faults.map {
                OutputRecord([
                    ("file", OutputValue($0.file)), ("place", OutputValue($0.place)),
                    ("fault", .text($0.message)),
                ])
            }
            let columns = [TableColumn("file"), TableColumn("place"), TableColumn("fault", wraps: true)]
            try RecordWriter(format).write(records, columns: columns)
        }
    }

    struct Compact: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact", abstract: "Free the space of deleted and replaced rows.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            Interruption.explain("no rows were lost; run the same command to start over")
            let (before, after) = try await ChosenStorage(options.load()).withStore(nil, .writing) { store in
                try await store.requireFinishedCopy()
                let before = try await store.storage.describe().bytes
                try await ProgressBar.errors.showing { try await store.storage.compact(progress: $0) }
                return (before, try await store.storage.describe().bytes)
            }
            Message.note("compacted: \(before) bytes before, \(after) bytes after")
        }
    }
}

extension StorageDescription {
    /// The size of all files on disk.
    fileprivate var bytes: Int { files.reduce(0) { $0 + $1.bytes } }
}
