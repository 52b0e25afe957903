import PatchbayCore
import Testing

@testable import PatchbayCompare

@Suite("Messages between the processes of a comparison")
struct WireTests {
    private let setup = BenchSetup(
        storage: "lmdb", settings: [NameAndValue("durability", "full"), NameAndValue("x", "å\u{0}\u{2028}")],
        folder: "/tmp/ä b", seed: .max, threads: 3, recording: nil, isAlone: true)

    private var requests: [BenchRequest] {
        [
            .setUp(setup), .begin(.ycsb, rows: 100), .prepare(workload: "get-key"), .beginRound,
            .turn(number: 3),
            .endRound, .finish, .digests, .answer(operation: 7), .contents(collection: 1),
            .contentRows(collection: 0, part: 12), .end,
        ]
    }

    private var replies: [BenchReply] {
        let latencies = Latencies(
            p50: 1, p90: 2, p99: 3, p999: 4, max: 5, buckets: [.init(upToNanoseconds: 8, count: 9)])
        return [
            .done, .begun(engine: "SQLite 3"), .skipped("why"),
            .turn(TurnOutcome(nanoseconds: 1.5, digest: nil, isLast: true)),
            .round(
                Round(
                    operations: 10, seconds: 0.25, processorSeconds: 0.5, latencies: latencies,
                    peakMemoryBytes: 1 << 40, writtenBytes: nil, writeCalls: 0)),
            .finished(bytesOnDisk: nil, digest: .max), .digests([0, .max]),
            .rows(query: "get", [TextRow(key: "1", fields: [NameAndValue("name", "\"Zoë\"")])]),
            .failed(PatchbayError(.storageFull, "full", [.file("/x")])),
        ]
    }

    @Test("every request arrives as it was sent")
    func requestsArrive() throws {
        for request in requests { #expect(try BenchRequest(bytes: request.bytes) == request) }
    }

    @Test("every reply arrives as it was sent")
    func repliesArrive() throws {
        for reply in replies {
            #expect("\(try BenchReply(bytes: reply.bytes))" == "\(reply)")
        }
    }

    @Test("a truncated or unknown message is an error")
    func malformed() throws {
        for reply in replies {
            for count in 0..<reply.bytes.count {
                #expect(throws: PatchbayError.self) {
                    try BenchReply(bytes: Array(reply.bytes.prefix(count)))
                }
            }
        }
        for request in requests {
            for count in 0..<request.bytes.count {
                #expect(throws: PatchbayError.self) {
                    try BenchRequest(bytes: Array(request.bytes.prefix(count)))
                }
            }
        }
        for text in ["[\"rows\", 1]", "[\"other\"]", "[\"done\", 1]", "[\"digests\", [\"-1\"]]"] {
            #expect(throws: PatchbayError.self, "\(text)") { try BenchReply(bytes: Array(text.utf8)) }
        }
    }
}
