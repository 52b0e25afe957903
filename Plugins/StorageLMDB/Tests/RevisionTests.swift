import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("The revision between the two steps of a commit")
struct RevisionTests {
    /// LMDB writes a commit's header to data.mdb, waits for the disk, and then says so in lock.mdb, where readers
    /// look. Here a commit stands still between the two.
    @Test("a header that no read goes by yet changes nothing; the commit that ends does")
    func headerFirst() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, [(1, "first")])
                let before = try await storage.revision()
                try writeHeader(of: before + 1, path + "/data.mdb")
                #expect(try await storage.revision() == before)
                #expect(try await Notes.titles(storage) == ["first"])
                // LMDB gives it the number of the one that did not end.
                try await Notes.put(storage, [(2, "second")])
                #expect(try await storage.revision() == before + 1)
                #expect(try await Notes.titles(storage) == ["first", "second"])
            }
        }
    }

    @Test(
        "what is promised of the revision holds when commits wait for the disk",
        arguments: StorageConformance.promises.filter { $0.topic == "revision" })
    func durable(_ promise: Promise) async throws {
        let outcome = try await StorageConformance { LMDBStorage(path: $0 + "/store") }.check(promise)
        #expect(outcome == .kept)
    }

    /// Writes the newest header once more, under the next number, over the older one.
    private func writeHeader(of number: UInt64, _ file: String) throws {
        let header = try Header(file: file), fields = 16..<Header.bytesNeeded
        try #require(header.transaction + 1 == number)
        let newest = Int((number - 1) & 1) * header.pageBytes, older = Int(number & 1) * header.pageBytes
        var bytes = Array(try Disk.read(file)[newest + fields.lowerBound..<newest + fields.upperBound])
        Notes.store(number, in: &bytes, at: 144 - fields.lowerBound)
        let descriptor = open(file, O_WRONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let written = pwrite(descriptor, bytes, bytes.count, off_t(older + fields.lowerBound))
        try #require(written == bytes.count)
    }
}
