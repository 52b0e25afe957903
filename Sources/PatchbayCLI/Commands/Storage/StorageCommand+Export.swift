import ArgumentParser
import Patchbay
import PatchbayTerminal

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
}
