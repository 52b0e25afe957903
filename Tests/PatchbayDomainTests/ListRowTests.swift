import PatchbayCore
import PatchbayDomain
import Testing

@Suite("Rows about lists")
struct ListRowTests {
    private func roundTrip<R: StoredRecord>(_ record: R) throws -> R {
        var builder = RowBuilder()
        builder.begin(R.collection)
        record.write(to: &builder)
        return R(try builder.finish())
    }

    @Test("a page of a list and a cursor are read back as written")
    func lists() throws {
        var page = StoredListPage(
            list: "l", position: 3, link: "https://x/2", fetchedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(page) == page)
        (page.next, page.isFull, page.pageCount) = ("https://x/3", true, 9)
        page.keys = [1, ["a", ""], "\u{301}e", "\u{E9}", "e\u{301}"].map { KeyText($0) }
        page.validator = Validator(entityTag: "\"x\"", lastModified: "d", partition: "p")
        #expect(try roundTrip(page) == page)
        var run = StoredListRun(list: "l", query: "q", startedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(run) == run)
        (run.position, run.next, run.pages, run.rows, run.pageCount) = (4, "n", 5, 6, 7)
        run.finishedAt = Timestamp(milliseconds: 2)
        #expect(try roundTrip(run) == run)
    }

    @Test("a clearing, and the server of an API's rows, are read back as written")
    func notes() throws {
        let clearing = StoredClearing(list: "api_rows", count: 4, clearedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(clearing) == clearing)
        for api in [StoredAPI("api"), StoredAPI("api", server: "api.example.org")] {
            #expect(try roundTrip(api) == api)
        }
    }

    @Test("a row's notes are read back as written, and use the first columns")
    func state() throws {
        var full = ItemState(fetchedAt: Timestamp(milliseconds: 1))
        full.detailFetchedAt = Timestamp(milliseconds: 2)
        full.detailValidator = Validator(entityTag: "W/\"x\"", lastModified: "then", partition: "me")
        full.goneAt = Timestamp(milliseconds: 3)
        full.refusal = StoredRefusal(Refusal(.blocked, reason: "dmca"), since: Timestamp(milliseconds: 4))
        full.missingSince = Timestamp(milliseconds: 5)
        let count = ItemState.fields.count
        let notes = CollectionSchema(
            "notes", key: count,
            fields: ItemState.fields + [Field("id", .integer), ItemState.LaterColumn.missingSince.field])
        for state in [full, ItemState()] {
            var builder = RowBuilder()
            builder.begin(notes)
            state.write(to: &builder, missingSince: count + 1)
            builder.set(count, 1 as Int64)
            #expect(ItemState(try builder.finish(), missingSince: count + 1) == state)
        }
    }

    @Test("a list clears a refusal of the kind missing, and the row's own address clears any refusal")
    func noting() {
        var state = ItemState(fetchedAt: Timestamp(milliseconds: 1))
        state.detailValidator = Validator(entityTag: "x")
        state.refuse(StoredRefusal(Refusal(.missing), since: Timestamp(milliseconds: 2)))
        #expect(state.detailValidator == Validator())
        state.list(at: Timestamp(milliseconds: 3), from: nil)
        #expect(state.refusal == nil)
        state.refuse(StoredRefusal(Refusal(.forbidden), since: Timestamp(milliseconds: 4)))
        state.markGone(at: Timestamp(milliseconds: 5))
        state.markGone(at: Timestamp(milliseconds: 6))
        #expect(state.goneAt == Timestamp(milliseconds: 5))
        state.list(at: Timestamp(milliseconds: 7), from: nil)
        #expect(state.goneAt == nil && state.refusal != nil)
        state.confirm(at: Timestamp(milliseconds: 8))
        #expect(state.refusal == nil && state.detailFetchedAt == Timestamp(milliseconds: 8))
    }

    @Test("details of a row that was gone, or from another server, are dropped when a list returns the row")
    func details() {
        var state = ItemState()
        state.confirm(at: Timestamp(milliseconds: 1))
        state.detailValidator = Validator(entityTag: "x", partition: "https://api.example.org ada 1")
        for identity in [nil, "https://api.example.org ada 1", "https://api.example.org/v2 bob 2"] {
            var listed = state
            listed.list(at: Timestamp(milliseconds: 2), from: identity)
            #expect(listed.detailFetchedAt != nil && listed.detailValidator == state.detailValidator)
        }
        var elsewhere = state
        elsewhere.list(at: Timestamp(milliseconds: 2), from: "https://api.example.org.test ada 1")
        state.markGone(at: Timestamp(milliseconds: 2))
        state.list(at: Timestamp(milliseconds: 3), from: nil)
        for state in [state, elsewhere] {
            #expect(state.detailFetchedAt == nil && state.detailValidator == Validator())
        }
    }
}
