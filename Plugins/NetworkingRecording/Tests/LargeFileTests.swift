import CPlatform
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("a large recording", .serialized)
struct LargeFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Set PATCHBAY_LARGE_TESTS=1 to write and read 100 MB.
    static let isEnabled = unsafe getenv("PATCHBAY_LARGE_TESTS") != nil

    @Test("100 MB need less than 64 MB of memory", .enabled(if: isEnabled, "set PATCHBAY_LARGE_TESTS=1"))
    func memory() async throws {
        let count = write(bytesMin: 100 << 20)
        let before = residentBytes()
        let recording = try Recording.open(folder.path + "/large.har")
        let opened = residentBytes()
        #expect(recording.entryCount == count)
        for number in stride(from: 0, to: count, by: count / 50) {
            #expect(try await recording.get("https://api.github.com/users/\(number)").body.count > 50_000)
        }
        #expect(opened - before < 64 << 20)
        #expect(residentBytes() - before < 64 << 20)
    }

    @Test("values that cross chunk boundaries are complete")
    func borders() async throws {
        let count = write(bytesMin: 3 << 20)
        let recording = try Recording.open(folder.path + "/large.har")
        for number in 0..<count {
            let text = try await recording.get("https://api.github.com/users/\(number)").text
            #expect(text.hasPrefix("{\"number\": \(number), \"\\\""))
        }
    }

    /// Writes entries with bodies of 60 kB and more, and returns their number.
    private func write(bytesMin: Int) -> Int {
        let file = unsafe folder.append(to: "large.har")
        defer { unsafe fclose(file) }
        var count = 0
        unsafe fputs("{\"log\":{\"version\":\"1.2\",\"entries\":[", file)
        while unsafe ftell(file) < bytesMin {
            let filler = String(repeating: "\"quoted \\\\ text\" ", count: 3_000 + count % 997)
            let body = "{\"number\": \(count), \"\\\"\(filler)\": 0}"
            unsafe fputs(
                (count == 0 ? "" : ",") + TestHAR.entry("https://api.github.com/users/\(count)", body: body),
                unsafe file)
            count += 1
        }
        unsafe fputs("]}}", file)
        return count
    }

    /// The private resident memory of the process.
    private func residentBytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        unsafe fgets(&line, 256, file)
        let fields = unsafe line.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }.split(
            separator: " ")
        return Int(fields[1])! * Int(sysconf(CInt(_SC_PAGESIZE)))
    }
}
