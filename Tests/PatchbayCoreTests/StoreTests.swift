import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("store") struct StoreTests {
    private struct Page: StoredRecord, Equatable {
        var address: String
        var visits: Int64

        static let collection = Sample.pages

        init(_ address: String, _ visits: Int64) {
            self.address = address
            self.visits = visits
        }

        init(_ row: borrowing RowView) { self.init(row.text(0), row.integer(2)) }

        func write(to row: inout RowBuilder) {
            row.set(0, address)
            row.set(2, visits)
        }
    }

    @Test("records are put, read, listed, counted and deleted")
    func records() async throws {
        let store = try await Store(MemoryStorage(), schema: Sample.schema)
        try await store.write { writing in
            for number in 0..<5 as Range<Int64> { try writing.put(Page("p\(number)", -number)) }
            #expect(try writing.reading.get(Page.self, "p1") == Page("p1", -1))
            #expect(try writing.delete(Page.self, "p3"))
            #expect(try !writing.delete(Page.self, "p3"))
        }
        let (pages, count) = try await store.read { reading in
            let query = Query(Sample.pages, by: Sample.byVisits, limit: 2)
            return (try reading.list(Page.self, query), try reading.count(Query(Sample.pages)))
        }
        #expect(pages == [Page("p4", -4), Page("p2", -2)] && count == 4)
        try await store.write { try $0.deleteAll(Page.self) }
        #expect(try await store.read { try $0.get(Page.self, "p1") } == nil)
        try await store.close()
    }

    @Test("a list contains at most a page")
    func pageLimit() async throws {
        let store = try await Store(MemoryStorage(), schema: Sample.schema)
        try await store.write { writing in
            for number in 0...Limits.pageRows { try writing.put(Page("\(number)", 0)) }
        }
        #expect(
            try await store.read { try $0.list(Page.self, Query(Sample.pages)).count } == Limits.pageRows)
    }

    @Test("a commit reports the collections it changed, a rollback reports nothing", .timeLimit(.minutes(5)))
    func changes() async throws {
        let store = try await Store(MemoryStorage(), schema: Sample.schema)
        var notices = store.changes.stream().makeAsyncIterator()
        await #expect(throws: PatchbayError.self) {
            try await store.write { writing in
                try writing.put(Page("a", 1))
                throw PatchbayError(.notFound, "rolled back by the test")
            }
        }
        try await store.write { _ in }
        try await store.write { try $0.put(Page("b", 1)) }
        #expect(await notices.next() == ["pages"])
    }
}

@Suite("errors") struct PatchbayErrorTests {
    @Test("an error's description contains code, message, details and cause")
    func description() {
        let cause = PatchbayError(.permissionDenied, "no")
        let error = PatchbayError(.busy, "held", [.byte(3), .file("a")], cause: cause)
        #expect(error.description == "busy: held (byte: 3, file: a), because permission denied: no")
        #expect(PatchbayError(.notFound, "gone").description == "not found: gone")
    }

    @Test("adding details does not replace existing ones")
    func adding() {
        let error = PatchbayError(.busy, "held", [.file("a")]).adding([.file("b"), .byte(1)])
        #expect(error.details == [.file("a"), .byte(1)])
    }

    @Test("failures that may pass by themselves are retryable")
    func retryable() {
        let codes = PatchbayError.Code.allCases.filter(\.isRetryable)
        #expect(codes == [.busy, .offline, .rateLimited])
    }

    @Test("a conflict names fields and index")
    func conflict() {
        let error = PatchbayError.conflict(Sample.issues, Sample.byTitle)
        #expect(
            error.message == "another row of issues has the same title, repository (unique index by_title)")
    }
}
