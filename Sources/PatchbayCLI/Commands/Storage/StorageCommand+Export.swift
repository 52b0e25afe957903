import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayGateway

extension StorageCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write rows as text that \"patchbay storage import\" reads back.",
            discussion: """
                All collections that are stored, whichever program declared them, each after a line that names and \
                defines it; or one collection without such a line. NDJSON has one \
                object a row without its null fields; whole numbers beyond 2^53 are texts, bytes are base64. CSV has \
                one collection; null is an empty field, an empty text "". Rows come in the order of their keys, so \
                equal storages give equal files.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var transfer: TransferOptions

        @Argument(help: "A new file; standard output when left out.")
        var file: String?

        func run() async throws {
            Interruption.explain("the export is not whole")
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
            Message.note(exported.rows == 1 ? "1 row exported" : "\(exported.rows) rows exported")
            if exported.changedMeanwhile {
                Message.write(
                    "rows changed during the export, so they are of several moments; a backup is of one")
            }
        }
    }
}
