import ArgumentParser
import PatchbayCompare
import PatchbayCore

/// The options for the results of a comparison and their baseline.
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

    @Option(
        help: ArgumentHelp(
            "Compare counts and answers with an earlier --format json output; times do not count. "
                + "The exit status is \(ExitStatus.regression.rawValue) when something has become worse.",
            valueName: "file"), completion: .file())
    var regress: String?

    func validate() throws {
        if html == "-" { throw ValidationError("--html needs a file name") }
    }

    /// Reads the baseline and creates the HTML file before measuring, so that mistakes show at once.
    func prepared() throws -> Prepared {
        let baseline = try regress.map(CompareOutput.baseline)
        return Prepared(format: format, html: try html.map { try OutputFile($0) }, baseline: baseline)
    }

    private static func baseline(_ path: String) throws -> Comparison {
        let file = try InputFile(path)
        let bytes = try file.readAll(bytesMax: Comparison.jsonBytesMax + 1)
        do {
            return try Comparison(json: bytes)
        } catch let error as PatchbayError {
            throw error.naming("\"patchbay compare --format json\"").adding([.file(file.name)])
        }
    }

    /// The baseline and the HTML file, opened before measuring.
    struct Prepared {
        let format: Format
        let html: OutputFile?
        let baseline: Comparison?

        /// Prints and writes the results.
        func write(_ comparison: Comparison) throws {
            let terminal = Terminal.output
            switch format {
            case .table:
                let report = TextReport(
                    comparison, width: terminal.width, isColoured: terminal.allowsColour)
                try StandardStream.output.write(report.text)
                if comparison.isUndecided {
                    Message.note("to decide the undecided workloads, measure more rounds with --rounds")
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

        /// Reports what has become worse than in the baseline.
        ///
        /// - Throws: `ExitStatus.regression` when something has; `invalidValue` when there are no common results.
        func judge(_ comparison: Comparison) throws {
            guard let baseline else { return }
            let regression = Regression(of: comparison, since: baseline)
            for note in regression.notes { Message.write("against the baseline: \(note)") }
            if regression.comparedCount == 0 {
                throw PatchbayError(
                    .invalidValue, "the baseline has no result in common with this comparison")
            }
            for change in regression.regressions { Message.write("worse: \(change)") }
            for change in regression.improvements { Message.write("better: \(change)") }
            for change in regression.speeds {
                Message.write("\(change.isBetter ? "faster" : "slower"), for information: \(change)")
            }
            if regression.isRegressed { throw ExitStatus.regression }
            Message.note("no regression in \(regression.comparedCount) results")
        }
    }
}
