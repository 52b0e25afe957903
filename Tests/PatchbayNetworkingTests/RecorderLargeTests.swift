import CPlatform
import NetworkingRecording
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite(
    "Large recordings",
    .enabled(if: unsafe getenv("PATCHBAY_LARGE_TESTS") != nil, "takes long; set PATCHBAY_LARGE_TESTS=1"))
struct RecorderLargeTests {
    /// The peak memory of this process so far.
    private func peakMemoryMiB() -> Double {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which has another type in each C library.
        unsafe getrusage(0, &usage)
        return Double(usage.ru_maxrss) / 1_024
    }

    @Test("each of 10,000 exchanges costs the same time and memory")
    func many() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/large.har"
        let body =
            "["
            + (0..<40).map { #"{"login":"user\#($0)","id":\#($0),"bio":"\#($0) bottles"}"# }
            .joined(separator: ",") + "]"
        let clock = LayerClock(now: { Timestamp(milliseconds: 1_700_000_000_000) })
        let network = ScriptedNetworking { _, _, _ in .status(200, ["ETag": "\"1\""], body) }
        let networking = network.layered(try Recorder(path: path, isAdding: false, clock: clock))
        _ = try await networking.get("/warm")
        let memory = peakMemoryMiB()
        var durations: [Duration] = []
        for part in 0..<10 {
            let start = ContinuousClock.now
            for number in 0..<1_000 { _ = try await networking.get("/users?since=\(part * 1_000 + number)") }
            durations.append(ContinuousClock.now - start)
        }
        print("10,000 exchanges: \(durations.reduce(.zero, +)), each 1,000: \(durations)")
        print("memory: \(peakMemoryMiB() - memory) MiB more")
        #expect(peakMemoryMiB() - memory < 30)
        #expect(try Recording.open(path).entryCount == 10_001)
    }
}
