import ArgumentParser
import Patchbay
import PatchbayTerminal
import Synchronization

extension StorageCommand {
    struct Import: ConfiguredCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Import rows in the format of \"patchbay storage export\".",
            discussion: """
                A row replaces the stored row with the same key; stored rows that are not in the file stay. A \
                collection that only the file defines is created. Every line is checked. The import stops at the first \
                bad line, and the message names it and the number of rows imported before it.
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
                    name: input.name
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
