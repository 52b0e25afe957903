import ArgumentParser
import Patchbay
import PatchbayJSON
import PatchbayTerminal

/// `patchbay changes`: prints the rows that have changed since a position.
struct ChangesCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Print the rows that have changed since a position, as lines of JSON.",
        discussion: """
            Without --since, all stored rows are printed. A row is printed once, as it is now, in the order of the \
            last changes; it has the kind "row", or "gone" if the source no longer lists it. After "cleared", all \
            earlier rows of the resource are void. The last line has the position, which the next --since takes. A \
            position is valid for one storage and the resources that were read. If the storage does not know it, or \
            has lost changes since, as after a restored backup, or if a resource is added, a line with "restart" \
            comes first: all rows known so far are void, and all rows follow. The source is not queried.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Argument(
        help: ArgumentHelp("The resources of interest; by default all.", valueName: "resource"),
        completion: .resources)
    var resources: [String] = []

    @Option(help: ArgumentHelp("Continue after this position.", valueName: "position"))
    var since: String?

    @Option(
        name: .limit, help: ArgumentHelp("Print at most this many changes.", valueName: "count"),
        limits: 1...Limits.pageRows)
    var limit: Int?

    @Flag(help: "Then wait for changes and print them, with a position after each commit, until Ctrl-C.")
    var follow = false

    func validate() throws {
        if follow, limit != nil { throw ValidationError("--follow has no end; leave out --limit") }
    }

    func run() async throws {
        let position = try since.map { text in
            guard let position = ChangePosition(text) else {
                throw PatchbayError(
                    .invalidValue,
                    "\"\(text)\" is not a position; use the member \"position\" in the last line of an earlier "
                        + "output")
            }
            return position
        }
        if follow { Interruption.explain("nothing was changed") }
        try await options.withGateways(isOffline: true) { gateways in
            let chosen =
                try resources.isEmpty
                ? gateways.resources : resources.map { try gateways.resource($0).resource }
            let output = ChangeOutput(gateways)
            guard follow else { return try await print(gateways, chosen, since: position, output) }
            try await StandardStream.output.whileRead {
                for try await page in gateways.followChanges(of: chosen, since: position) {
                    try output.write(page)
                    try output.write(page.position)
                }
            }
        }
    }

    private func print(
        _ gateways: Gateways, _ chosen: [Resource], since position: ChangePosition?, _ output: ChangeOutput
    ) async throws {
        var position = position, rest = limit ?? .max, hasMore = true
        while hasMore, rest > 0 {
            let page = try await gateways.changes(of: chosen, since: position, limit: min(rest, 1_000))
            try output.write(page)
            rest -= page.changes.count
            (position, hasMore) = (page.position, page.hasMore)
        }
        if let position { try output.write(position, hasMore: hasMore) }
    }
}

/// Prints changes as lines of JSON.
private struct ChangeOutput: Sendable {
    private let writer = RecordWriter(.jsonl)
    private let records: [Resource: (noun: String, records: ItemRecords)]

    init(_ gateways: Gateways) {
        let nouns = ResourceNouns(gateways.resources).nouns
        records = Dictionary(
            uniqueKeysWithValues: zip(gateways.resources, nouns).map { resource, noun in
                (resource, (noun, ItemRecords(resource.declaration)))
            })
    }

    func write(_ page: Changes) throws {
        if let restart = page.restart {
            Message.note("\(restart.words); all rows follow, and those known so far are void")
            try write(OutputRecord([("restart", .text(restart.rawValue))]))
        }
        try writer.write(page.changes.map(record), table: Table([], rows: []))
    }

    func write(_ position: ChangePosition, hasMore: Bool = false) throws {
        try write(OutputRecord([("position", .text(position.description)), ("more", .bool(hasMore))]))
    }

    private func write(_ record: OutputRecord) throws {
        try writer.write([record], table: Table([], rows: []))
    }

    private func record(_ change: Change) -> OutputRecord {
        let output = records[change.resource]!
        let content: (name: String, value: OutputValue) =
            switch change {
            case .row(let item): ("row", .json(json(item, output.records)))
            case .cleared(_, let time): ("at", .text(time.description))
            }
        return OutputRecord([("resource", .text(output.noun)), ("kind", .text(change.kind)), content])
    }

    private func json(_ item: Item, _ records: ItemRecords) -> String {
        var json = JSONWriter()
        json.beginObject()
        records.write(item, to: &json)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
