import PatchbayTestKit
import Testing

@testable import StorageLMDB

@Suite("Sorting entries in bounded memory")
struct EntrySorterTests {
    @Test("entries are sorted however little memory there is", arguments: [4096, 20_000, 10 << 20])
    func order(bytesMax: Int) async throws {
        try await TemporaryDirectory.with { directory in
            var generator = SeededGenerator.fromEnvironment()
            var keys: [[UInt8]] = (0..<5000).map { _ in
                (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...3, using: &generator)
                }
            }
            let sorter = EntrySorter(file: directory.path + "/sorting", bytesMax: bytesMax)
            for key in keys { try sorter.add(key, ownBytes: key.count / 2, mayRepeat: key[0] == 1) }
            let sorted = try sorter.finish()
            #expect(Disk.names(directory.path) == [])
            keys.sort { $0.lexicographicallyPrecedes($1) }
            // Twice, because entries can be visited repeatedly.
            for _ in 0..<2 {
                var seen: [[UInt8]] = []
                try sorted.forEach { entry in
                    unsafe seen.append([UInt8](entry.key))
                    #expect(unsafe entry.own.count == entry.key.count / 2)
                    #expect(unsafe entry.mayRepeat == (entry.key[0] == 1))
                }
                #expect(seen == keys)
            }
            #expect(sorted.count == keys.count)
        }
    }

    @Test("sorting no entries yields none")
    func nothing() throws {
        let sorted = try EntrySorter(file: "/nowhere/sorting").finish()
        try sorted.forEach { _ in Issue.record("an entry that was never added") }
        #expect(sorted.count == 0)
    }
}
