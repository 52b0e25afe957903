import ArgumentParser
import PatchbayCore

/// How the rows of an answer are printed.
struct FormatOptions: ParsableArguments {
    @Option(help: "How to print.")
    var format = OutputFormat.table

    @Option(
        help: ArgumentHelp(
            "Print these fields alone, in this order; --format json shows all of them.", valueName: "name,..."
        ))
    var fields: CommaList<String>?

    /// - Throws: an error about a wrong option when a field is not known, with the one that may be meant.
    func check(_ known: FieldNames) throws {
        let names = known.usual + known.more
        for field in fields?.values ?? [] where !names.contains(field) {
            throw ValidationError(
                "there is no field \"\(field)\"\(EditDistance.suggestion(for: field, in: names)); known: "
                    + names.joined(separator: ", "))
        }
        if fields?.values.isEmpty == true { throw ValidationError("--fields names no field") }
    }

    /// Prints a list that no source was asked for.
    func write(_ listing: Listing) throws {
        let listing = chosen(listing)
        try RecordWriter(format).write(
            listing.records, header: listing.names.usual, table: listing.table)
    }

    /// The listing as it was asked for.
    func chosen(_ listing: Listing) -> Listing { fields.map { listing.choosing($0.values) } ?? listing }
}

/// What is said of an answer beside its rows.
struct VerdictOptions: ParsableArguments {
    @Flag(
        help: """
            End with status \(ExitStatus.incomplete.rawValue) when rows are missing, or when the source was asked and \
            did not confirm them. They are printed all the same.
            """)
    var strict = false

    @Flag(
        name: [.customShort("q"), .long],
        help: "Say nothing on standard error but what went wrong: no origin, no age, no wait.")
    var quiet = false

    /// Tells where the answer comes from, if that is wanted.
    func write(_ status: Status) {
        if !quiet || status.isFailure { Message.write(status.line) }
    }

    /// - Throws: the status for an answer that is not good enough.
    func judge(_ status: Status) throws {
        if Interruption.isNoted { throw Interruption.Noted() }
        if strict, status.isDoubtful { throw ExitStatus.incomplete }
    }
}
