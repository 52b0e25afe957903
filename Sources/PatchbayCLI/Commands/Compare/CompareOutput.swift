import ArgumentParser
import PatchbayCompare
import PatchbayCore
import PatchbayTerminal

/// The options for the results of a comparison.
struct CompareOutput: ParsableArguments {
    /// The output format of the results.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table, json, csv
    }

    @Option(name: .format, help: "The output format.")
    var format = Format.table

    @Option(
        help: ArgumentHelp("Also write a page with charts to this new file.", valueName: "file"),
        completion: .file())
    var html: String?

    func validate() throws {
        if html == "-" { throw ValidationError("--html needs a file name") }
    }

    /// Creates the HTML file before measuring, so that mistakes show at once.
    func prepared() throws -> Prepared { Prepared(format: format, html: try html.map { try OutputFile($0) }) }

    /// The HTML file, opened before measuring.
    struct Prepared {
        let format: Format
        let html: OutputFile?

        /// Prints and writes the results.
        func write(_ comparison: Comparison) throws {
            let terminal = Terminal.output
            switch format {
            case .table:
                let report = TextReport(
                    comparison, width: terminal.width, isColoured: terminal.allowsColour)
                try StandardStream.output.write(report.text)
                if comparison.isUndecided {
                    Message.note("to decide the undecided workloads, measure longer with --seconds")
                }
            case .json: try StandardStream.output.write(try comparison.json())
            case .csv:
                let bytes = CSVText.bytes(
                    of: comparison.records, header: Comparison.recordNames,
                    isForTerminal: terminal.isTerminal)
                try StandardStream.output.write(bytes)
            }
            guard let html else { return }
            try html.stream.write(try HTMLReport.bytes(of: comparison))
            try html.finish()
        }
    }
}
