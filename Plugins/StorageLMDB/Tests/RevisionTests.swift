import CPlatform
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageLMDB

@Suite("The revision during a commit")
struct RevisionTests {
    /// LMDB writes a commit's header to data.mdb, syncs it, and then publishes it in lock.mdb, where readers look. This
    /// test stops a commit between the two.
    @Test("the revision changes when a commit is visible to readers, not when its header is written")
    func headerFirst() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, [(1, "first")])
                let before = try await storage.revision()
                try writeHeader(of: before + 1, path + "/data.mdb")
                #expect(try await storage.revision() == before)
                #expect(try await Notes.titles(storage) == ["first"])
                // LMDB gives it the number of the unfinished commit.
                try await Notes.put(storage, [(2, "second")])
                #expect(try await storage.revision() == before + 1)
                #expect(try await Notes.titles(storage) == ["first", "second"])
            }
        }
    }

    @Test(
        "the promises of the revision are kept when commits are synced",
        arguments: StorageConformance.promises.filter { $0.topic == "revision" })
    func durable(_ promise: Promise) async throws {
        let outcome = try await StorageConformance { LMDBStorage(path: $0 + "/store") }.check(promise)
        #expect(outcome == .kept)
    }

    /// Writes the newest header again, under the next number, over the older one.
    private func writeHeader(of number: UInt64, _ file: String) throws {
        let header = try Header(file: file), fields = 16..<Header.bytesNeeded
        try #require(header.transaction + 1 == number)
        let newest = Int((number - 1) & 1) * header.pageBytes, older = Int(number & 1) * header.pageBytes
        var bytes = Array(try Disk.read(file)[newest + fields.lowerBound..<newest + fields.upperBound])
        Notes.store(number, in: &bytes, at: 144 - fields.lowerBound)
        let descriptor = unsafe open(file, O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let written = unsafe pwrite(descriptor, bytes, bytes.count, off_t(older + fields.lowerBound))
        try #require(written == bytes.count)
    }
}
