import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What an index contains of a resource.
struct TextCoverage {
    /// The last byte of the rowids of its texts.
    let number: Int64
    /// ``TextFields/signature`` when the texts were written.
    let signature: String
    /// The place in the feed of changes up to which the texts are those of the rows; nil when none were read.
    let position: ChangePosition?

    /// Whether the texts are those of the rows at the end of the feed.
    func isAt(_ incarnation: Incarnation?) -> Bool {
        position == ChangePosition(endOf: incarnation)
    }
}

extension TextFile {
    /// What the index contains, by the names of collections.
    func coverage() throws -> [String: TextCoverage] {
        var known: [String: TextCoverage] = [:]
        try statement("SELECT id, name, signature, position FROM resources").each { row in
            known[row.text(1)] = TextCoverage(
                number: row.integer(0), signature: row.text(2), position: ChangePosition(row.text(3)))
            return true
        }
        return known
    }

    /// Gives the resources their numbers, and forgets texts that were made of other fields.
    func declare(_ all: [TextFields]) throws -> [String: TextCoverage] {
        var known = try coverage()
        for fields in all {
            let name = fields.resource.collection.name
            if let old = known[name] {
                if old.signature == fields.signature { continue }
                for table in TextTable.allCases { try clear(old.number, table) }
                try statement("DELETE FROM resources WHERE id = ?").run(.integer(old.number))
                known[name] = nil
            }
            let taken = Set(known.values.map(\.number))
            guard let number = (1...Int64(TextTable.resourcesMax)).first(where: { !taken.contains($0) })
            else {
                throw PatchbayError(
                    .invalidValue,
                    "the text index has the texts of \(TextTable.resourcesMax) resources, which is the limit; remove "
                        + "\"\(path ?? "it")\", and it is made again", [.limit(TextTable.resourcesMax)])
            }
            try statement("INSERT INTO resources(id, name, signature, position) VALUES(?, ?, ?, '')").run(
                .integer(number), .text(name), .text(fields.signature))
            known[name] = TextCoverage(number: number, signature: fields.signature, position: nil)
        }
        return known
    }

    func setPosition(_ position: ChangePosition, of number: Int64) throws {
        try statement("UPDATE resources SET position = ? WHERE id = ?").run(
            .text(position.description), .integer(number))
    }

    /// Removes the texts of a resource.
    func clear(_ number: Int64, _ table: TextTable) throws {
        let own = "id & \(TextTable.resourceMask) = \(number)"
        let all = try self.number("SELECT count(*) FROM \(table.rows)")
        let count = try self.number("SELECT count(*) FROM \(table.rows) WHERE \(own)")
        if count == 0 { return }
        if count * 2 > all {
            // Cheaper than removing each text.
            try run("DELETE FROM \(table.rows) WHERE \(own)")
            return try run("INSERT INTO \(table)(\(table)) VALUES('rebuild')")
        }
        try statement("SELECT id, title, body FROM \(table.rows) WHERE \(own)").each { row in
            try self.statement(Self.removal(table)).run(
                .integer(row.integer(0)), .bytes(row.bytes(1)), .bytes(row.bytes(2)))
            return true
        }
        try run("DELETE FROM \(table.rows) WHERE \(own)")
    }

    /// Removes a text, whose words FTS5 must be given.
    fileprivate static func removal(_ table: TextTable) -> String {
        "INSERT INTO \(table)(\(table), rowid, title, body) VALUES('delete', ?, ?, ?)"
    }
}

/// Brings the texts of some resources up to date, in a transaction of its caller.
struct TextWriter {
    private let file: TextFile
    private let resources: [Resource: (fields: TextFields, number: Int64)]
    /// The number of the next text of each table.
    private var next: [TextTable: Int64] = [:]
    /// The change number up to which a row comes only once, so that no earlier text of it needs to be found.
    private var onceUntil: Int64?
    private(set) var count = 0

    /// - Parameter onceUntil: for an index without texts, the present change number; nil for one with texts.
    init(
        _ file: TextFile, _ resources: [Resource: (fields: TextFields, number: Int64)], onceUntil: Int64?
    ) throws {
        self.file = file
        self.resources = resources
        self.onceUntil = onceUntil
        for table in TextTable.allCases {
            next[table] = try file.number("SELECT max(id) FROM \(table.rows)") / 256 + 1
        }
    }

    mutating func apply(_ change: Change) throws {
        count += 1
        guard let (fields, number) = resources[change.resource] else { return }
        switch change {
        case .cleared: try file.clear(number, fields.table)
        case .row(let item):
            if let last = onceUntil, item.changeNumber > last {
                try file.createKeys()
                onceUntil = nil
            }
            try apply(item, fields, number)
        }
    }

    private mutating func apply(_ item: Item, _ fields: TextFields, _ number: Int64) throws {
        let table = fields.table, key = item.keyText
        let isGone = item.state.goneAt != nil
        let (title, body) = isGone ? ([], []) : fields.texts(item)
        if onceUntil == nil, let old = try file.text(ofKey: key, number, table) {
            if old.title == title, old.body == body { return }
            try file.statement(TextFile.removal(table)).run(
                .integer(old.id), .bytes(old.title), .bytes(old.body))
            try file.statement("DELETE FROM \(table.rows) WHERE id = ?").run(.integer(old.id))
        }
        if title.isEmpty, body.isEmpty { return }
        let id = next[table]! << 8 | number
        next[table]! += 1
        try file.statement("INSERT INTO \(table.rows)(id, key, title, body) VALUES(?, ?, ?, ?)").run(
            .integer(id), .text(key), .bytes(title), .bytes(body))
        try file.statement("INSERT INTO \(table)(rowid, title, body) VALUES(?, ?, ?)").run(
            .integer(id), .bytes(title), .bytes(body))
    }
}

extension TextFile {
    /// A stored text.
    struct Text {
        let id: Int64
        let title, body: [UInt8]
    }

    /// The text of a row; nil when there is none.
    func text(ofKey key: String, _ number: Int64, _ table: TextTable) throws -> Text? {
        try statement(
            "SELECT id, title, body FROM \(table.rows) WHERE id & \(TextTable.resourceMask) = ? AND key = ?"
        ).first(.integer(number), .text(key)) { row in
            Text(id: row.integer(0), title: row.bytes(1), body: row.bytes(2))
        }
    }
}
