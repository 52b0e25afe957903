import PatchbayCore
import PatchbayGateway

extension TextFile {
    /// A text that matches.
    struct Match {
        let id: Int64
        let table: TextTable
        /// The smaller the better.
        let score: Double
    }

    /// The maximum number of matches that are ranked.
    static let rankedMax = 30_000

    /// How much a word in the first field counts, compared with one in the others.
    private static let titleWeight = "4.0"

    /// Ranks the texts that match: all of them, or the latest ones if there are more than ``rankedMax``.
    ///
    /// - Parameter numbers: the resources of interest; nil for all.
    func matches(
        _ expression: String, in table: TextTable, of numbers: [Int64]?
    ) throws -> (matches: [Match], isCut: Bool) {
        let filter =
            numbers.map { numbers in
                let list = numbers.sorted().map(String.init).joined(separator: ", ")
                return " AND \(table).rowid & \(TextTable.resourceMask) IN (\(list))"
            } ?? ""
        var matches: [Match] = [], isCut = false
        try statement(
            "SELECT rowid, bm25(\(table), \(Self.titleWeight), 1.0) FROM \(table) WHERE \(table) MATCH ?\(filter) "
                + "ORDER BY rowid DESC LIMIT \(Self.rankedMax + 1)"
        ).each(.text(expression)) { row in
            isCut = matches.count == Self.rankedMax
            if !isCut { matches.append(Match(id: row.integer(0), table: table, score: row.real(1))) }
            return !isCut
        }
        return (matches, isCut)
    }

    /// The key and the texts of a match.
    func row(_ match: Match) throws -> (key: String, text: Text)? {
        try statement("SELECT key, title, body FROM \(match.table.rows) WHERE id = ?").first(
            .integer(match.id)
        ) { row in
            (row.text(0), Text(id: match.id, title: row.bytes(1), body: row.bytes(2)))
        }
    }

    /// The part of the text that matches best.
    func excerpt(_ match: Match, _ expression: String) throws -> Excerpt {
        let table = match.table
        let snippet = "snippet(\(table), -1, '\(Excerpt.opening)', '\(Excerpt.closing)', '…', 24)"
        let marked = try statement("SELECT \(snippet) FROM \(table) WHERE \(table) MATCH ? AND rowid = ?")
            .first(.text(expression), .integer(match.id)) { $0.text(0) }
        return Excerpt(marked: marked ?? "")
    }
}
