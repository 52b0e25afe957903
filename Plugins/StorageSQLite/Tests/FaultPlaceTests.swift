import Testing

@testable import StorageSQLite

@Suite("the place of a fault is found in a line of SQLite's check")
struct FaultPlaceTests {
    @Test(arguments: [
        ("On tree page 4 cell 3: 2nd reference to page 5", "page 4, cell 3"),
        ("Tree 4 page 17 cell 12: Rowid 3 out of order", "page 17, cell 12"),
        ("Page 9 is never used", "page 9"),
        ("Page 9: never used", "page 9"),
        ("row 12 missing from index users_by_login", "index users_by_login, row 12"),
        ("wrong # of entries in index users_by_login", "index users_by_login"),
        ("non-unique entry in index users_by_login", "index users_by_login"),
        ("NULL value in users.login", "table users, column login"),
        ("Main freelist: size is 3 but should be 5", nil),
    ])
    func place(line: String, place: String?) { #expect(FileCheck.place(in: line[...]) == place) }
}
