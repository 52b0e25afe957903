import ArgumentParser
import Patchbay
import PatchbayQuery
import PatchbayTerminal

extension StorageCommand {
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
            try RecordWriter(format).write(records, table: Table(columns, of: records))
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
