import PatchbayGateway
import ArgumentParser
import PatchbayCore

/// How the rows of an answer are printed.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .shortAndLong, help: "How to print.", choices: OutputFormat.self,
        default: OutputFormat.table.rawValue)
    private var format: OutputFormat?

    @Option(
        help: ArgumentHelp(
            "Print these fields alone, in this order; --format json shows all of them.", valueName: "name,..."
        ))
    private var fields: CommaList<String>?

    @Option(help: ArgumentHelp("Short for --format json --fields.", valueName: "name,..."))
    private var json: CommaList<String>?

    @Flag(
        name: .customLong("no-pager"),
        help: """
            Do not show rows that are longer than the screen through PATCHBAY_PAGER, else PAGER, else less. A variable \
            that is empty or "cat" does the same.
            """)
    private var noPager = false

    func validate() throws {
        let other = fields == nil ? format.map { "--format \($0.rawValue)" } : "--fields"
        if json != nil, let other, other != "--format json" {
            throw ValidationError("--json and \(other) exclude each other")
        }
    }

    /// How to print.
    var chosen: OutputFormat { json == nil ? format ?? .table : .json }
    /// The fields that are wanted; nil for all that the format has.
    var names: [String]? { (json ?? fields)?.values }
    var isPaged: Bool { !noPager }

    /// - Throws: an error about a wrong option when a field is not known, with the one that may be meant.
    func check(_ known: FieldNames) throws {
        let names = known.usual + known.more
        for field in self.names ?? [] where !names.contains(field) {
            throw ValidationError(
                "there is no field \"\(field)\"\(EditDistance.suggestion(for: field, in: names)); known: "
                    + names.joined(separator: ", "))
        }
        if self.names?.isEmpty == true {
            throw ValidationError("--\(json == nil ? "fields" : "json") names no field")
        }
    }

    /// Prints a list that no source was asked for.
    func write(_ listing: Listing) throws {
        let listing = choosing(listing)
        var output = RowOutput(isPaged: isPaged)
        try output.write(
            RecordWriter(chosen).bytes(
                of: listing.records, header: listing.names.usual, table: listing.table))
        try output.finish()
    }

    /// The listing with the fields that are wanted.
    func choosing(_ listing: Listing) -> Listing { names.map(listing.choosing) ?? listing }
}

/// What is said of an answer beside its rows.
struct VerdictOptions: ParsableArguments {
    @Flag(
        help: """
            End with status \(ExitStatus.incomplete.rawValue) when rows are missing, or when the source was asked and \
            did not confirm them. They are printed all the same.
            """)
    var strict = false

    /// Tells where the answer comes from, if that is wanted.
    func write(_ status: Status) {
        status.isFailure ? Message.write(status.line) : Message.note(status.line)
    }

    /// - Throws: the status for an answer that is not good enough.
    func judge(_ status: Status) throws {
        if Interruption.isNoted { throw Interruption.Noted() }
        if strict, status.isDoubtful { throw ExitStatus.incomplete }
    }
}
