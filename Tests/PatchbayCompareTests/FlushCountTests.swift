import CFlushCount
import Glibc
import PatchbayTestKit
import Testing

@Suite("Flushes are counted")
struct FlushCountTests {
    @Test("a call of fsync is counted and still works")
    func fsyncIsCounted() async throws {
        let before = patchbay_flush_count()
        try #require(before >= 0, "the calls of other libraries cannot be seen here")
        #expect(fsync(-1) == -1)
        #expect(errno == EBADF)
        #expect(patchbay_flush_count() > before)
    }
}
