import PatchbayCore
import Testing

@testable import PatchbayCompare

@Suite("Messages between the processes of a comparison")
struct WireTests {
    private let setup = BenchSetup(
        subject: Subject(
            name: "lmdb", storage: "lmdb",
            settings: [NameAndValue("durability", "full"), NameAndValue("x", "å\u{0}\u{2028}")]),
        folder: "/tmp/ä b", seed: .max, threads: 3,
        copy: RowsCopy(
            file: "/tmp/rows", collection: "github_repos",
            origin: RowsOrigin(recording: "/tmp/x.har", definition: "x")))

    private var requests: [BenchRequest] {
        [
            .setUp(setup), .prepare(workload: "get-key", rows: 100), .beginRound, .turn(number: 3), .endRound,
            .finish, .digests(of: .lastTurn), .rows(of: .lastTurn, part: 7),
            .digests(of: .collection(1)), .rows(of: .collection(0), part: 12), .end,
        ]
    }

    private var replies: [BenchReply] {
        let latencies = Latencies(
            p50: 1, p90: 2, p99: 3, p999: 4, max: 5, buckets: [.init(upToNanoseconds: 8, count: 9)])
        return [
            .done, .prepared(engine: "SQLite 3", refusal: nil), .prepared(engine: nil, refusal: "why"),
            .turn(nanoseconds: 1.5, digest: nil, isLast: true),
            .round(
                Round(
                    operations: 10, seconds: 0.25, processorSeconds: 0.5, latencies: latencies,
                    peakMemoryBytes: 1 << 40, writtenBytes: nil, writeCalls: 0)),
            .finished(bytesOnDisk: nil, digest: .max), .digests([0, .max]),
            .rows(query: "get", [TextRow(key: "1", fields: [NameAndValue("name", "\"Zoë\"")])]),
            .failed(.storageFull, "full (file: /x)"),
        ]
    }

    @Test("every request arrives as it was sent")
    func requestsArrive() throws {
        for request in requests {
            let arrived: BenchRequest = try Frames.message(Frames.bytes(of: request))
            #expect(arrived == request)
        }
    }

    @Test("every reply arrives as it was sent")
    func repliesArrive() throws {
        for reply in replies {
            let arrived: BenchReply = try Frames.message(Frames.bytes(of: reply))
            #expect("\(arrived)" == "\(reply)")
        }
    }

    @Test("a truncated or unknown message is an error")
    func malformed() throws {
        for reply in replies { try expectTruncated(reply) }
        for request in requests { try expectTruncated(request) }
        let texts = [
            #"{"rows":1}"#, #"{"other":{}}"#, #"{"done":{},"prepared":{}}"#, #"{"digests":{"_0":[-1]}}"#,
        ]
        for text in texts {
            #expect(throws: PatchbayError.self, "\(text)") {
                let _: BenchReply = try Frames.message(Array(text.utf8))
            }
        }
    }

    /// No line feed is inside a message, and none of its beginnings is one.
    private func expectTruncated<Message: Codable>(_ message: Message) throws {
        let bytes = try Frames.bytes(of: message)
        #expect(!bytes.contains(UInt8(ascii: "\n")))
        for count in 0..<bytes.count {
            #expect(throws: PatchbayError.self) {
                let _: Message = try Frames.message(Array(bytes.prefix(count)))
            }
        }
    }
}
