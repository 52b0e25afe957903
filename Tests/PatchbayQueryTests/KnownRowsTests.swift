import CSQLite
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Rows that a join has looked up")
struct KnownRowsTests {
    @Test("are those that were added, or unknown")
    func model() throws {
        var random = SeededGenerator(seed: 11), known = KnownRows()
        defer { known.deallocate() }
        let values = try (0..<20_000).map { number in
            try number.isMultiple(of: 2) ? Value("\(number / 4)") : Value("'\(number / 4)'")
        }
        var rows: [Int: [UInt8]?] = [:], found = 0
        for step in 0..<60_000 {
            let number = Int.random(in: 0..<(step < 20_000 ? 3_000 : values.count), using: &random)
            // Two numbers have the same value.
            let place = number / 4 * 2 + number % 2
            let value = values[number]
            if let row = unsafe known.row(value.handle) {
                found += 1
                let expected = try #require(rows[place])
                #expect(unsafe Array(row) == expected ?? [])
                continue
            }
            let row: [UInt8]? =
                number % 7 == 0
                ? nil
                : (0..<Int.random(in: 8..<300, using: &random)).map {
                    UInt8(truncatingIfNeeded: $0 &* number)
                }
            rows[place] = row
            if let row {
                unsafe row.withUnsafeBytes { unsafe known.add(value.handle, $0) }
            } else {
                unsafe known.add(value.handle, nil)
            }
            if step > 40, let kept = unsafe known.row(value.handle) {
                #expect(unsafe Array(kept) == row ?? [])
            }
        }
        #expect(found > 20_000)
    }

    @Test("are not kept if they are long, or if the value is none that can be compared by its bytes")
    func notKept() throws {
        var known = KnownRows()
        defer { known.deallocate() }
        let row: [UInt8] = Array(repeating: 1, count: 16), long: [UInt8] = Array(repeating: 1, count: 2_000)
        for number in 0..<100 {
            let value = try Value("\(number)")
            unsafe row.withUnsafeBytes { unsafe known.add(value.handle, $0) }
        }
        let (integer, real, text, null) = (
            try Value("99"), try Value("99.0"), try Value("'99'"), try Value("NULL")
        )
        #expect(unsafe known.row(integer.handle) != nil)
        for other in [real, text, null] { #expect(unsafe known.row(other.handle) == nil) }
        let next = try Value("100"), empty = try Value("''")
        unsafe long.withUnsafeBytes { unsafe known.add(next.handle, $0) }
        #expect(unsafe known.row(next.handle) == nil)
        unsafe row.withUnsafeBytes { unsafe known.add(empty.handle, $0) }
        #expect(unsafe known.row(empty.handle)?.count == 16)
    }

    @Test("give the same answers as plain tables", arguments: ["memory", "sqlite", "lmdb"])
    func joins(_ storage: String) async throws {
        var random = SeededGenerator(seed: 23)
        let people = RandomPeople.people(200, &random), notes = RandomPeople.notes(1_500, &random)
        let fixture = try await QueryFixture(storage, people: people, notes: notes)
        let plain = try PlainTables(people: people, notes: notes)
        for sql in [
            "SELECT n.person, n.slug, p.login, p.team FROM notes n LEFT JOIN people p ON p.id = n.person ORDER BY 1, 2",
            "SELECT p.login, count(*), sum(n.size) FROM notes n CROSS JOIN people p ON p._key = n.person GROUP BY 1 "
                + "ORDER BY 1",
            "SELECT count(*), count(p.id), count(q.id) FROM notes n LEFT JOIN people p ON p.id = n.size "
                + "LEFT JOIN people_all q ON q.id = n.person",
        ] {
            #expect(try await fixture.rows(sql) == plain.run(sql), "\(sql)")
        }
    }

    /// A value of SQLite, written as SQL. Safe, because it owns the value.
    @safe private final class Value {
        let handle: OpaquePointer?

        init(_ sql: String) throws {
            var connection: OpaquePointer?, statement: OpaquePointer?
            try #require(unsafe sqlite3_open(":memory:", &connection) == SQLITE_OK)
            defer { unsafe sqlite3_close(connection) }
            try #require(
                unsafe sqlite3_prepare_v2(connection, "SELECT \(sql)", -1, &statement, nil) == SQLITE_OK)
            defer { unsafe sqlite3_finalize(statement) }
            try #require(unsafe sqlite3_step(statement) == SQLITE_ROW)
            unsafe handle = sqlite3_value_dup(sqlite3_column_value(statement, 0))
        }

        deinit { unsafe sqlite3_value_free(handle) }
    }
}
