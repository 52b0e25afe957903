import ArgumentParser
import Patchbay
import PatchbayQuery
import PatchbayTerminal

/// `patchbay find`: finds stored rows by the words of their texts.
struct FindCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find stored rows by the words of their texts, in all resources.",
        discussion: """
            Searches the texts that definitions name (NAME.find) offline, with local edits, and ranks the rows; \
            "patchbay search" asks the source. All words must occur, in any order, without regard to case and \
            accents; "several words" in quotation marks are a phrase, word* finds longer words, and -word leaves out \
            rows with that word. Single quotation marks keep these signs from the shell: 'crash -"no data"'. The words \
            are in a file beside the storage, which you may remove at any time.

              patchbay find ferry
              patchbay find ferry crash* --in issues,pulls
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: ArgumentHelp("The words; several arguments are joined.", valueName: "text"))
    var words: [String]

    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("Search only these resources.", valueName: "resource,..."), completion: .resources)
    var resources: CommaList<String>?

    @Option(
        name: .limit, help: ArgumentHelp("Print at most this many rows.", valueName: "count"),
        limits: 1...Limits.pageRows)
    var limit = 20

    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run() async throws {
        Interruption.explain("nothing was changed")
        try format.check(FoundOutput.names)
        try await options.withGateways(isOffline: true) { gateways in
            if gateways.resources.isEmpty, let fault = await (try options.load()).sourceFaults().first {
                throw fault
            }
            let chosen = try resources?.values.map { try gateways.resource($0).resource }
            let index = try await TextIndex(gateways)
            let found = try await ProgressBar.errors.showing { progress in
                try await index.find(
                    words.joined(separator: " "), in: chosen, limit: limit, progress: progress)
            }
            try FoundOutput(gateways, format, isStrict: verdict.strict).print(found)
        }
    }
}

/// Prints found rows.
struct FoundOutput {
    private let format: FormatOptions
    private let isStrict: Bool
    private let nouns: [Resource: String]
    private let areSeveral: Bool

    static let names = FieldNames(
        ["resource", "source", "handle", "title", "excerpt", "fetched_at"], more: ["key", "website"])

    /// - Parameter isStrict: whether texts that may be missing make the command fail even if the index has all.
    init(_ gateways: Gateways, _ format: FormatOptions, isStrict: Bool) {
        self.format = format
        self.isStrict = isStrict
        let nouns = ResourceNouns(gateways.resources).nouns
        self.nouns = Dictionary(uniqueKeysWithValues: zip(gateways.resources, nouns))
        areSeveral = gateways.all.count > 1
    }

    /// - Throws: ``ExitStatus/incomplete`` when the index lacks changes.
    func print(_ found: FoundRows) throws {
        let now = Timestamp.now()
        var columns = [
            TableColumn("resource"), TableColumn("row", field: "handle"),
            TableColumn("title", isElastic: true),
            // In a table, found words are in brackets.
            TableColumn("excerpt", wraps: true) { record in
                guard case .list(let parts) = record["excerpt"] else { return "" }
                return Excerpt(parts: parts).bracketed
            },
            TableColumn("age", alignment: .right) { record in
                guard case .text(let text) = record["fetched_at"], let time = Timestamp(text) else {
                    return ""
                }
                return time.storedAge(at: now).map(Age.text) ?? ""
            },
        ]
        if areSeveral { columns.insert(TableColumn("source"), at: 1) }
        let listing = format.choosing(
            Listing(found.rows.map(record), Self.names, .columns(columns)))
        var output = RowOutput(isPaged: format.isPaged)
        try output.write(RecordWriter(format.chosen).bytes(of: listing, answer: answer(found)))
        try output.finish()
        try report(found)
    }

    private func noun(_ resource: Resource) -> String { nouns[resource] ?? resource.name }

    private func record(_ row: FoundRows.Row) -> OutputRecord {
        let item = row.item
        var record = OutputRecord([
            ("resource", .text(noun(row.resource))), ("source", .text(row.resource.api)),
            ("handle", .text(item.handle)), ("title", .text(item.title)),
            ("excerpt", .list(row.excerpt.parts)),
            ("fetched_at", OutputValue(item.state.fetchedAt?.description)),
        ])
        let website = row.resource.declaration.website.flatMap { item.text($0) }
        record.more = [("key", .text(item.keyText)), ("website", OutputValue(website))]
        return record
    }

    private func answer(_ found: FoundRows) -> OutputRecord {
        OutputRecord([
            ("complete", .bool(found.reason == nil)), ("reason", OutputValue(found.reason)),
            ("matches", .integer(Int64(found.count))), ("all_ranked", .bool(!found.isCut)),
            ("nothing_stored", .list(found.empty.map(noun))),
        ])
    }

    private func report(_ found: FoundRows) throws {
        let more = found.rows.count < found.count ? " of \(found.count)" : ""
        Message.note(found.cut ?? Count.words(found.rows.count, "row") + "\(more) found")
        if found.rows.isEmpty, !found.empty.isEmpty {
            let nouns = found.empty.map(noun).joined(separator: ", ")
            Message.note("nothing with texts is stored of \(nouns): patchbay sync")
        }
        guard let reason = found.reason else { return }
        Message.write("rows may be missing: \(reason)")
        if found.isOutdated || isStrict { throw ExitStatus.incomplete }
    }
}
