import CoreMetrics
import InMemoryLogging
import Logging
import MetricsTestKit
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayMetrics
import PatchbayPlugins
import PatchbayTestKit
import Testing

@Suite("Telemetry of a gateway")
struct TelemetryTests {
    private func entry(status: Int?, error: PatchbayError.Code? = nil) -> RequestLogEntry {
        RequestLogEntry(
            number: 1, startedAt: Timestamp(milliseconds: 0), method: "GET",
            url: "https://api.example.org/users?since=46", origin: .network, status: status, error: error,
            duration: .milliseconds(12), bodyBytes: 345, cost: 1, remaining: status == nil ? nil : 58,
            tokenFingerprint: nil, serverRequestID: nil)
    }

    @Test("requests are logged to the given logger, those without an answer as warnings")
    func lines() throws {
        let handler = InMemoryLogHandler()
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .debug
        let report = try #require(Telemetry(logger: logger).report)
        report(entry(status: 200))
        report(entry(status: nil, error: .offline))
        #expect(handler.entries.map(\.level) == [.debug, .warning])
        let metadata = try #require(handler.entries.first).metadata
        #expect(metadata["status"] == "200")
        #expect(metadata["url"] == "https://api.example.org/users?since=46")
        #expect(metadata["milliseconds"] == "12")
        #expect(handler.entries.last?.metadata["error"] == "offline")
    }

    @Test("requests, 304 answers and the budget are counted under their documented names")
    func requests() throws {
        let metrics = TestMetrics()
        let report = try #require(Telemetry(metrics: Telemetry.Metrics(metrics)).report)
        for status in [200, 304, 304] { report(entry(status: status)) }
        report(entry(status: nil, error: .offline))
        func requests(_ outcome: String) throws -> Int64 {
            try metrics.expectCounter(
                "patchbay_requests_total", [("origin", "network"), ("outcome", outcome)]
            ).totalValue
        }
        #expect(try requests("200") == 1)
        #expect(try requests("304") == 2)
        #expect(try requests("offline") == 1)
        #expect(try metrics.expectCounter("patchbay_not_modified_total").totalValue == 2)
        #expect(try metrics.expectMeter("patchbay_budget_remaining").lastValue == 58)
    }

    @Test("rows are counted by collection, and only when their transaction is committed")
    func rows() async throws {
        let metrics = TestMetrics()
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(["storage": "memory", "source": "synthetic"]),
            telemetry: Telemetry(metrics: Telemetry.Metrics(metrics)))
        let users = try gateway.resource("users")
        try await gateway.initialize(gateway.question(users))
        let stored = try await gateway.store.read { try $0.count(Query(users.collection)) }
        func counted() throws -> Int64 {
            try metrics.expectCounter("patchbay_rows_total", [("collection", "synthetic_users")]).totalValue
        }
        #expect(stored > 0)
        #expect(try counted() == Int64(stored))
        await #expect(throws: PatchbayError.self) {
            try await gateway.store.write { writing in
                let items = try writing.reading.items(Query(users.collection, limit: 1), of: users)
                var row = RowBuilder()
                ItemPacking(items[0], over: nil, state: items[0].state).write(to: &row)
                try writing.put(row.finish(), in: users.collection)
                throw PatchbayError(.storageFull, "the disk is full")
            }
        }
        #expect(try counted() == Int64(stored))
        try await gateway.close()
    }

    @Test("the ages of answers from the storage are recorded in seconds, by outcome")
    func ages() async throws {
        let metrics = TestMetrics(), clock = ManualClock()
        let gateway = try await Gateway(
            configuration: GatewayConfiguration(["storage": "memory", "source": "synthetic"]),
            telemetry: Telemetry(metrics: Telemetry.Metrics(metrics)), now: clock.now)
        _ = try await gateway.list("users", limit: 3).ending
        #expect(metrics.recorders.isEmpty)
        clock.advance(by: .milliseconds(90_500))
        _ = try await gateway.list("users", limit: 3, policy: .localOnly).ending
        _ = try await gateway.list("users", limit: 3).ending
        for outcome in ["stored", "local-only"] {
            let ages = try metrics.expectRecorder("patchbay_answer_age_seconds", [("outcome", outcome)])
            #expect(ages.values == [90.5])
        }
        #expect(metrics.recorders.count == 2)
        try await gateway.close()
    }

    @Test("without a logger and metrics nothing is wrapped or reported")
    func silent() {
        #expect(Telemetry().report == nil)
        #expect(Telemetry().measuring(MemoryStorage()) is MemoryStorage)
    }
}
