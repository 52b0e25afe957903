import Patchbay
import PatchbayQuery
import PatchbayTerminal

/// Prints the rows of an answer as they arrive, then the ages of the lists.
struct QueryOutput {
    private let format: OutputFormat
    private let limits: SQLLimits
    private let isLimitChosen: Bool
    private let isStrict: Bool
    private let skippedLists: Int

    /// - Parameters:
    ///   - isLimitChosen: whether the user has set the limit of rows, so that reaching it is expected.
    ///   - isStrict: whether lists that are not complete make the command fail.
    ///   - skippedLists: the number of lists that were to be fetched before, and were refused.
    init(
        _ format: OutputFormat, _ limits: SQLLimits, isLimitChosen: Bool, isStrict: Bool, skippedLists: Int
    ) {
        self.skippedLists = skippedLists
        self.format = format
        self.limits = limits
        self.isLimitChosen = isLimitChosen
        self.isStrict = isStrict
    }

    /// The number of rows that are printed together; the first ones determine the widths of a table.
    private static let rowsTogether = 1_000

    /// - Throws: ``ExitStatus/incomplete`` when a limit ended the rows that the user did not choose, and when `find`
    ///   lacked rows.
    func print(_ rows: SQLRows) async throws {
        let names = Self.distinct(rows.columns)
        var writer = ListingWriter(RecordWriter(format))
        var records: [OutputRecord] = [], count = 0
        func listing() -> Listing {
            defer { records = [] }
            return Listing(records, FieldNames(names), .columns(Self.columns(names, records)))
        }
        for try await row in rows {
            records.append(OutputRecord(Array(zip(names, row.values.map { OutputValue($0) }))))
            count += 1
            if records.count == Self.rowsTogether {
                try StandardStream.output.write(writer.bytes(of: listing()))
            }
        }
        if count == 0 || !records.isEmpty { try StandardStream.output.write(writer.bytes(of: listing())) }
        guard let ending = rows.ending else { throw CancellationError() }
        try StandardStream.output.write(writer.end(answer: record(ending)))
        try report(ending, count)
    }

    /// The names of the columns, each once: a second `id` is `id_2`, because records need different names.
    static func distinct(_ columns: [String]) -> [String] {
        var names: [String] = [], known = Set(columns), seen: Set<String> = []
        for column in columns {
            var name = column, number = 2
            if !seen.insert(column).inserted {
                repeat {
                    name = "\(column)_\(number)"
                    number += 1
                } while !known.insert(name).inserted
            }
            names.append(name)
        }
        return names
    }

    private static func columns(_ names: [String], _ records: [OutputRecord]) -> [TableColumn] {
        names.enumerated().map { place, name in
            let isNumber = records.contains { record in
                switch record.fields[place].value {
                case .integer, .real: true
                default: false
                }
            }
            return TableColumn(name, alignment: isNumber ? .right : .left, isElastic: !isNumber) {
                $0.fields[place].value.description
            }
        }
    }

    /// Why rows may be missing; nil when none are.
    private func reason(_ ending: SQLEnding) -> String? {
        let refused =
            skippedLists == 0 ? nil : "\(Count.words(skippedLists, "list")) could not be fetched again"
        return limits.reason(ending) ?? refused
    }

    private func record(_ ending: SQLEnding) -> OutputRecord {
        let reason = reason(ending)
        return OutputRecord([
            ("complete", .bool(reason == nil)),
            ("reason", OutputValue(reason)),
            ("tables", .list(ending.tables.map(\.name))),
            ("oldest_sync", OutputValue(ending.tables.compactMap(\.oldestSync).min()?.description)),
            ("never_synced", .list(ending.neverSynced.map(\.name))),
        ])
    }

    private static func ago(_ time: Timestamp?, _ now: Timestamp) -> String {
        time?.storedAge(at: now).map(Age.ago) ?? "at an unknown time"
    }

    private func report(_ ending: SQLEnding, _ count: Int) throws {
        let now = Timestamp.now()
        let ages = ending.tables.filter { $0.listsSynced > 0 }.map { table -> String in
            let newest = Self.ago(table.newestSync, now), oldest = Self.ago(table.oldestSync, now)
            let lists = table.listsSynced == 1 ? "" : "\(table.listsSynced) lists, "
            return newest == oldest
                ? "\(table.name): \(lists)synced \(oldest)"
                : "\(table.name): \(lists)synced from \(oldest) to \(newest)"
        }
        Message.note(([Count.words(count, "row")] + ages).joined(separator: "; "))
        for table in ending.neverSynced {
            Message.note(
                "\(table.name) has never been synced to its end, so rows may be missing: \(sync(table))")
        }
        for table in ending.partlySynced {
            let lists = Count.words(table.listsPartial, "list")
            Message.note("rows of \(lists) of \(table.name) may be missing: \(sync(table))")
        }
        if let limit = ending.limit {
            if limit == .rows, isLimitChosen {
                Message.note("more rows follow; --limit ends them")
            } else {
                let advice = limit == .rows ? "use --limit" : "use --timeout"
                Message.write("the rows are incomplete: \(limits.words(limit)); \(advice) to get more")
                throw ExitStatus.incomplete
            }
        }
        if let missing = ending.missingTexts {
            Message.write("rows may be missing: \(missing)")
            throw ExitStatus.incomplete
        }
        if isStrict, reason(ending) != nil { throw ExitStatus.incomplete }
    }

    /// The command that fetches the rest of a table.
    private func sync(_ table: SQLTableUse) -> String {
        let usage = CommandLineTool.declared.declared(table.resource)?.lists.first?.usage
        return "patchbay sync " + (usage ?? table.resource.name)
    }
}
