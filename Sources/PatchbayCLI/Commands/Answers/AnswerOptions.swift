import ArgumentParser
import Patchbay
import PatchbayTerminal

/// The options for printing the rows of an answer.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .format, help: "The output format.", choices: OutputFormat.self,
        default: OutputFormat.table.rawValue)
    private var format: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Print only these fields, in this order; --format json shows all of them.", valueName: "name,..."
        ))
    private var fields: CommaList<String>?

    @Option(help: ArgumentHelp("Short for --format json --fields.", valueName: "name,..."))
    private var json: CommaList<String>?

    @Flag(
        name: .customLong("no-pager"),
        help: """
            Do not use a pager. By default, output longer than the screen is shown through PATCHBAY_PAGER, else PAGER, \
            else less; an empty variable or "cat" turns the pager off, too.
            """)
    private var noPager = false

    func validate() throws {
        let other = fields == nil ? format.map { "--format \($0.rawValue)" } : "--fields"
        if json != nil, let other, other != "--format json" {
            throw ValidationError("--json and \(other) cannot be used together")
        }
    }

    /// The format that applies.
    var chosen: OutputFormat { json == nil ? format ?? .table : .json }
    /// The requested fields, each once; nil for all fields of the format.
    var names: [String]? { (json ?? fields)?.values.distinct }
    var isPaged: Bool { !noPager }

    /// - Throws: `ValidationError` when a field is unknown, with a suggestion.
    func check(_ known: FieldNames) throws {
        let names = known.all
        for field in self.names ?? [] where !names.contains(field) {
            throw ValidationError(EditDistance.unknown("field", field, in: names))
        }
        if self.names?.isEmpty == true {
            throw ValidationError("--\(json == nil ? "fields" : "json") names no field")
        }
    }

    /// Prints a list that did not involve a source.
    func write(_ listing: Listing) throws {
        let listing = choosing(listing)
        var output = RowOutput(isPaged: isPaged)
        try output.write(
            RecordWriter(chosen).bytes(
                of: listing.records, header: listing.names.usual, table: listing.table))
        try output.finish()
    }

    /// Returns the listing with only the requested fields.
    func choosing(_ listing: Listing) -> Listing { names.map(listing.choosing) ?? listing }
}

/// The options for the summary of an answer and the exit status.
struct VerdictOptions: ParsableArguments {
    @Flag(
        help: """
            Exit with status \(ExitStatus.incomplete.rawValue) when rows are missing, or when the source was queried \
            and did not confirm them. The rows are printed anyway.
            """)
    var strict = false

    /// Prints the origin and age of the answer; failures are printed even with `--quiet`.
    func write(_ status: Status) {
        status.isFailure ? Message.write(status.line) : Message.note(status.line)
    }

    /// Prints the origin and age of the last answer of a command.
    ///
    /// - Throws: ``ExitStatus/incomplete`` for a doubtful answer with `--strict`, and for one that lacks rows of
    ///   the source; `Interruption.Noted` after Ctrl-C.
    func conclude(_ status: Status) throws {
        write(status)
        if Interruption.isNoted { throw Interruption.Noted() }
        if strict && status.isDoubtful || status.lacksRows { throw ExitStatus.incomplete }
    }
}
