@testable import PatchbayTestKit

/// Random statements over the tables of ``QueryFixture``, without functions of chance.
struct RandomStatements {
    var random: SeededGenerator

    /// A statement, and the number of leading columns by which its rows are sorted; nil when their order is not given.
    mutating func next() -> (sql: String, sorted: Int?) {
        switch Int.random(in: 0..<16, using: &random) {
        case 0...4: return simple()
        case 12, 13: return joined()
        case 14, 15: return mixed()
        case 5: return grouped()
        case 6: return joined()
        case 7: return ("SELECT DISTINCT \(column("t")), \(column("t")) FROM \(people) t \(filter("t"))", nil)
        case 8:
            return (
                "SELECT t.id FROM \(people) t WHERE \(condition("t")) AND t.id "
                    + "\(random.pick(["IN", "NOT IN"])) (SELECT person FROM notes n \(noteFilter("n")))", nil
            )
        case 9:
            return (
                "SELECT \(column("t")) AS x FROM \(people) t \(filter("t")) UNION SELECT \(column("u")) "
                    + "FROM people_all u \(filter("u"))", nil
            )
        case 10:
            return (
                "WITH c AS (SELECT t.team AS team, count(*) AS n, max(t.joined) AS last FROM \(people) t "
                    + "\(filter("t")) GROUP BY 1) SELECT c.team, c.n, c.last, t.login FROM c JOIN people t "
                    + "ON t.team = c.team AND t.joined = c.last", nil
            )
        default:
            return (
                "SELECT t.id, row_number() OVER (PARTITION BY t.team ORDER BY t.joined, t.id) AS r "
                    + "FROM \(people) t \(filter("t"))", nil
            )
        }
    }

    private var people: String {
        mutating get { random.pick(["people", "people", "people_all", "test_people"]) }
    }

    private static let columns = [
        "id", "login", "name", "team", "age", "score", "is_active", "joined", "tags", "upstream_name", "_key",
        "_fetched_at", "_age", "_changed", "_gone_at",
    ]

    private mutating func column(_ table: String) -> String { "\(table).\(random.pick(Self.columns))" }

    private mutating func filter(_ table: String) -> String {
        random.oneIn(4) ? "" : "WHERE \(condition(table))"
    }

    private mutating func noteFilter(_ table: String) -> String {
        let choice = ["", "WHERE \(table).size > \(number())", "WHERE \(table).slug LIKE 'a%'"]
        return random.pick(choice)
    }

    private mutating func simple() -> (String, Int?) {
        let order = random.pick([
            ["id"], ["age"], ["team", "joined"], ["joined"], ["login"], ["_changed"], ["name"], ["team"],
        ])
        let direction = random.pick(["", " DESC"])
        // Mixed directions now and then, which no index has.
        let terms = order.map { "t.\($0)" + (random.oneIn(8) ? "" : direction) }
        let shown = order.map { "t.\($0)" } + [column("t"), column("t")]
        let isTotal = random.oneIn(2)
        let end = isTotal ? terms + ["t.id" + direction] : terms
        let limit =
            isTotal && random.oneIn(2)
            ? " LIMIT \(Int.random(in: 0...40, using: &random)) OFFSET \(Int.random(in: 0...10, using: &random))"
            : ""
        let sql =
            "SELECT \(shown.joined(separator: ", ")) FROM \(people) t \(filter("t")) ORDER BY "
            + end.joined(separator: ", ") + limit
        return (sql, isTotal ? shown.count : order.count)
    }

    private mutating func grouped() -> (String, Int?) {
        let group = column("t")
        return (
            "SELECT \(group), count(*), sum(t.id), max(t.age), min(t.joined), max(t.login) FROM \(people) t "
                + "\(filter("t")) GROUP BY 1", nil
        )
    }

    private mutating func joined() -> (String, Int?) {
        let kind = random.pick(["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        var on = random.pick(["n.person = t.id", "t.id = n.person AND n.slug = t.login", "t.age = n.size"])
        // Of the rows that an outer join keeps, ON may say anything.
        if !random.oneIn(3) {
            let note = random.pick([
                "n.size IS NOT NULL", "n.slug LIKE 'a%'", "n.slug GLOB 'a*'", "n.size > 3",
            ])
            on += " AND " + (random.oneIn(3) ? note : condition("t"))
        }
        return (
            "SELECT t.id, n.slug, \(column("t")) FROM \(people) t \(kind) notes n ON \(on) \(filter("t"))",
            nil
        )
    }

    /// Texts that are compared with numbers: as texts if these are in the statement, as numbers if they are those of a
    /// column of numbers.
    private mutating func mixed() -> (String, Int?) {
        let text = random.pick(["c.code", "c._key", "c.alt"])
        let value = "t." + random.pick(["age", "id", "score", "team", "login", "age + 0", "is_active"])
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return (
                "SELECT c.code, c.num FROM codes c WHERE \(text) \(random.pick(["IN", "IN", "NOT IN"])) "
                    + "(SELECT \(value) FROM \(people) t \(filter("t")))", nil
            )
        case 1:
            return (
                "SELECT t.id, c.code FROM \(people) t \(random.pick(["JOIN", "LEFT JOIN"])) codes c "
                    + "ON \(text) \(random.pick(["=", "IS", "<"])) \(value) WHERE t.id < 60", nil
            )
        case 2:
            return (
                "SELECT t.id, (SELECT c.num FROM codes c WHERE \(text) = \(value) ORDER BY c.num, c.code LIMIT 1) "
                    + "FROM \(people) t \(filter("t"))", nil
            )
        case 3:
            return (
                "SELECT c.code FROM codes c WHERE (\(text), c.num) IN (SELECT \(value), t.age FROM \(people) t)",
                nil
            )
        default:
            let fixed = random.pick([
                "CAST(5 AS INTEGER)", "5", "'5'", "5.0", "CAST(5 AS TEXT)", "CAST('5' AS REAL)",
            ])
            return (
                "SELECT c.num, c.code, c.alt FROM codes c WHERE \(text) = \(fixed) ORDER BY c.num, c.code", 2
            )
        }
    }

    private mutating func condition(_ table: String, depth: Int = 0) -> String {
        switch Int.random(in: 0..<(depth > 2 ? 8 : 11), using: &random) {
        case 0...3: return "\(column(table)) \(comparison()) \(value())"
        case 4: return "\(column(table)) IS \(random.pick(["", "NOT "]))NULL"
        case 5:
            let pattern = random.pick(["a%", "A%", "%b%", "ab_c%", "t%", "%", "é%", "1%", "2026-01%"])
            return "\(column(table)) \(random.pick(["", "NOT "]))LIKE '\(pattern)'"
        case 6:
            return
                "\(column(table)) GLOB '\(random.pick(["a*", "A*", "[ab]*", "t?am*", "*", "é*", "2026-01*"]))'"
        case 7:
            let values = (0..<Int.random(in: 1...4, using: &random)).map { _ in value() }
            return "\(column(table)) \(random.pick(["", "NOT "]))IN (\(values.joined(separator: ", ")))"
        case 8: return "\(column(table)) BETWEEN \(value()) AND \(value())"
        case 9:
            return "(\(condition(table, depth: depth + 1)) \(random.pick(["AND", "OR"])) "
                + "\(condition(table, depth: depth + 1)))"
        default:
            return
                "\(column(table)) \(comparison()) \(value()) COLLATE \(random.pick(["NOCASE", "BINARY", "RTRIM"]))"
        }
    }

    private mutating func comparison() -> String {
        random.pick(["=", "=", "==", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"])
    }

    private mutating func number() -> Int { Int.random(in: -3...60, using: &random) }

    /// A value of any type, often one that occurs.
    private mutating func value() -> String {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return String(number())
        case 2: return "'\(number())'"
        case 3: return random.pick(["1.5", "5.0", "-0.0", "1e300", "NULL", "x'61'", "9223372036854775807"])
        case 4, 5: return "'\(random.pick(RandomPeople.teams.compactMap(\.self)))'"
        case 6: return "'\(random.pick(RandomPeople.logins))'"
        default:
            let time = random.pick([
                "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z", "2026-01-01", "2026-01",
                "2026-01-01T00:00:01Z",
                "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00", "9999", "0", "2026-01-01T00:00:00+02:00",
                "",
            ])
            return "'\(time)'"
        }
    }
}

/// Random rows with few different values, so that most conditions select some.
enum RandomPeople {
    static let teams = [
        "alpha", "Alpha", "ALPHA", "beta", "team a", "tEam", "", "é", "e", "5", "ab\u{10FFFF}", nil,
    ]
    static let logins = ["ab", "Ab", "abc", "ABC", "b", "été", "z z", "a_c", "a%c"]
    /// 2026-01-01 00:00 UTC.
    private static let start: Int64 = 1_767_225_600_000

    static func people(_ count: Int, _ random: inout SeededGenerator) -> [Person] {
        (1...Int64(count)).map { id in
            var person = Person(id: id, login: random.pick(logins) + (random.oneIn(3) ? "" : String(id)))
            person.name = random.pick([nil, "Ada", "ada", "Bob", ""])
            person.nameEdit = random.pick([nil, nil, nil, "", "Ada", "Zoe"])
            person.team = random.pick(teams)
            person.age = random.pick([nil, 1, 2, 5, 40, 41, .max, .min])
            person.score = random.pick([nil, 0.5, 1.5, 5, -2, 1e300])
            person.isActive = random.pick([nil, true, false])
            let offset: Int64? = random.pick([nil, 0, 500, 1, 999, 1_000, 86_400_000, -1])
            person.joined = offset.map { start + $0 }
            person.tags = random.pick([nil, #"["a","b"]"#, "{}"])
            person.gone = random.oneIn(6) ? start : nil
            person.change = random.pick([nil, 1, 2, 3])
            person.fetched = random.pick([nil, start, 1_790_000_000_000])
            return person
        }
    }

    /// Codes that look like numbers, several of them like the same number.
    static func codes(_ random: inout SeededGenerator) -> [Code] {
        let texts = [
            "1", "01", "1.0", "2", "5", "05", "5.0", "5e0", "40", "040", "41", " 5", "-2", "1.5", "alpha",
            "é", "",
        ]
        return texts.map { code in
            Code(
                code: code, num: random.pick([nil, 1, 2, 5, 40] as [Int64?]),
                alt: random.pick([nil, "5", "05", "5.0", "1", "x"] as [String?]))
        }
    }

    static func notes(_ people: Int, _ random: inout SeededGenerator) -> [Note] {
        (1...Int64(people)).flatMap { person in
            (0..<Int64.random(in: 0...3, using: &random)).map { number in
                Note(
                    person: person, slug: random.pick(logins) + "/\(number)",
                    size: random.pick([nil, 1, 5, 40] as [Int64?]),
                    at: random.pick([nil, start, start + 500] as [Int64?]))
            }
        }
    }
}
