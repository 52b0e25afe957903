import ArgumentParser
import Patchbay
import PatchbayTerminal
import Synchronization

extension StorageCommand {
    struct Export: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Export rows as text that \"patchbay storage import\" can read.",
            discussion: """
                Writes all stored collections, whichever program declared them, each after a line that names and \
                defines it; --collection writes a single one without that line. JSON Lines have one object per row, \
                without null fields; whole numbers beyond 2^53 are strings, bytes are base64. CSV holds one \
                collection; null is an empty field, an empty string is "". Rows are in key order, so equal storages \
                produce equal files.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var transfer: TransferOptions

        @Argument(help: "The new file; standard output when left out.", completion: .file())
        var file: String?

        func run() async throws {
            Interruption.explain("the export is incomplete")
            let format = transfer.format(for: file)
            let exported = try await ChosenStorage(options.load()).withStore { store in
                try await store.requireFinishedCopy()
                let export = try ExportRows(store, try transfer.chosen(in: store.schema), as: format)
                let output = try OutputFile(file)
                let exported = try await ProgressBar.errors.showing { progress in
                    try await export.run(progress: progress) { try output.stream.write($0) }
                }
                try output.finish()
                return exported
            }
            // A newcomer may take the argument for the name of a collection.
            let place = file.map { $0 == "-" ? "" : " to \"\($0)\"" } ?? ""
            Message.note("\(Count.words(exported.rows, "row")) exported\(place)")
            if exported.changedMeanwhile {
                Message.write(
                    "rows changed during the export, so it is not a consistent snapshot; use a backup for one"
                )
            }
        }
    }

    struct Import: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import rows in the format of \"patchbay storage export\".",
            discussion: """
                A row replaces the stored row with the same key; stored rows that are not in the file stay. A \
                collection that only the file defines is created. Rows of a resource get back the edits that a clear \
                has kept. Every line is checked. The import stops at the first bad line, and the message names it and \
                the number of rows imported before it.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var transfer: TransferOptions

        @Argument(help: "The file; - is standard input.", completion: .file())
        var file: String

        func run() async throws {
            Interruption.explain("some rows may have been imported; run the same command to import all")
            let format = transfer.format(for: file)
            let input = try InputFile(file)
            let chosen = try ChosenStorage(options.load()), last = Mutex<Store?>(nil)
            let rows = try await chosen.withStore(.gateway, .creating) { store in
                try await store.requireFinishedCopy()
                let rows = try ImportRows(
                    store, try transfer.chosen(in: store.schema.addingDeclared()), as: format,
                    name: input.name, resource: { CommandLineTool.declared.resource(of: $0) }
                ) { store, collection in
                    try await store.close()
                    let opened = try await chosen.open(store.schema.adding([collection]), .writing)
                    last.withLock { $0 = opened }
                    return opened
                }
                return try await ProgressBar.errors.showing { progress in
                    try await rows.run(progress: progress) { try input.read(bytesMax: $0) }
                }
            }
            try await last.withLock { $0 }?.close()
            Message.note(Count.words(rows, "row") + " imported")
        }
    }
}

extension Schema {
    /// Adds the collections of the source's resources that are not stored yet.
    fileprivate func addingDeclared() throws -> Schema {
        let declared = CommandLineTool.declared, known = Set(collections.map(\.name))
        let missing = try declared.chosen.map { try Resource($0.declaration, api: $0.word).collection }
        return adding(missing.filter { !known.contains($0.name) })
    }
}

/// The options that select the rows of a file and its format.
struct TransferOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this collection; all when left out.", valueName: "name"))
    var collection: String?

    @Option(
        name: .format, help: "The file's format.", choices: TransferFormat.self,
        default: "csv for a file that ends in .csv, else jsonl")
    var format: TransferFormat?

    func format(for file: String?) -> TransferFormat {
        format ?? (file?.hasSuffix(".csv") == true ? .csv : .jsonl)
    }

    /// Returns the collection named by `--collection`; nil for all.
    func chosen(in schema: Schema) throws -> CollectionSchema? {
        guard let collection else { return nil }
        let known = schema.transferable.collections
        if let found = known.first(where: { $0.name == collection }) { return found }
        throw PatchbayError(
            .notFound, EditDistance.unknown("collection", collection, in: known.map(\.name)))
    }
}

extension DeclaredResources {
    /// The resource whose rows a collection has; nil when none is declared with these columns.
    fileprivate func resource(of collection: CollectionSchema) -> Resource? {
        let declared = all.first { "\($0.word)_\($0.declaration.name)" == collection.name }
        let resource = declared.flatMap {
            // Stored columns that do not fit the declaration belong to another version of it.
            try? Resource($0.declaration, api: $0.word, stored: collection)
        }
        return resource?.collection == collection ? resource : nil
    }
}
