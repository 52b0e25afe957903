@testable import PatchbayCore
import Testing

@Suite("edit distance") struct EditDistanceTests {
    @Test(
        "counts letters inserted, removed, replaced and swapped",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("sqlite", "sqlite", 0), ("sqlit", "sqlite", 1),
            ("sqltie", "sqlite", 1), ("lmbd", "lmdb", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
        ])
    func counts(left: String, right: String, distance: Int) {
        #expect(EditDistance.between(left, right) == distance)
        #expect(EditDistance.between(right, left) == distance)
    }

    @Test("finds the intended word, and none when all are too different")
    func nearest() {
        let known = ["sqlite", "lmdb", "flatfile", "memory"]
        #expect(EditDistance.nearest(to: "sqllite", in: known) == "sqlite")
        #expect(EditDistance.nearest(to: "lmbd", in: known) == "lmdb")
        #expect(EditDistance.nearest(to: "LMDB", in: known) == "lmdb")
        #expect(EditDistance.nearest(to: "sqlite", in: ["SQLITE"]) == "SQLITE")
        #expect(EditDistance.nearest(to: "flat_file", in: known) == "flatfile")
        #expect(EditDistance.nearest(to: "postgres", in: known) == nil)
        #expect(EditDistance.nearest(to: "sqlite", in: []) == nil)
    }
}
