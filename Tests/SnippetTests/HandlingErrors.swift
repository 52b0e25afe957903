import Foundation
import PatchbayPlugins
import PatchbayTestKit
import Testing

// snippet: advice
func advice(for error: PatchbayError) -> String {
    switch error.code {
    case .rateLimited:
        error.retryAt.map { "the limit is used up until \($0)" } ?? "the limit is used up; try again later"
    case .invalidConfiguration:
        "correct \(error.file ?? "the configuration"):\(error.line ?? 1): \(error.message)"
    case .invalidValue, .conflict:
        "row \(error.key ?? "unknown"), field \(error.field ?? "unknown"): \(error.message)"
    case let code where code.isRetryable:
        "try again: \(error.message)"
    default:
        error.summary
    }
}
// end

@Suite("Snippets of Handling errors")
struct HandlingErrors {
    @Test("a fault of a configuration is caught with its file and line")
    func caught() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try "storage = sqlit\n".write(toFile: "\(folder.path)/my.conf", atomically: true, encoding: .utf8)
        func GatewayConfiguration(file: String) throws -> Patchbay.GatewayConfiguration {
            try Patchbay.GatewayConfiguration(
                file: "\(folder.path)/\(file)", environment: ["HOME": folder.path])
        }
        var printed: [String] = []
        func print(_ text: String) { printed.append(text) }
        // snippet: catch
        do {
            let gateway = try await Gateway(configuration: GatewayConfiguration(file: "my.conf"))
            let answer = try await gateway.list("users", limit: 20).ending
            for user in answer.value?.items ?? [] { print(user.handle) }
            if case .failed(let error) = answer.outcome { print(advice(for: error)) }
            try await gateway.close()
        } catch let error as PatchbayError {
            print(advice(for: error))
        }
        // end
        let fault = "my.conf:1: there is no storage \"sqlit\" (did you mean \"sqlite\"?)"
        #expect(printed.count == 1)
        #expect(printed.first?.contains(fault) == true, "\(printed)")
    }

    @Test("advice depends on the code and on the details")
    func advised() throws {
        let time = try #require(Timestamp("2026-01-02T03:04:05Z"))
        let limited = PatchbayError(.rateLimited, "the limit is used up", [.retryAt(time)])
        #expect(advice(for: limited) == "the limit is used up until 2026-01-02T03:04:05Z")
        #expect(advice(for: PatchbayError(.offline, "no route")) == "try again: no route")
        let row = PatchbayError(.invalidValue, "too long", [.key("7"), .field("name")])
        #expect(advice(for: row) == "row 7, field name: too long")
    }

    @Test("every value of the table can be read")
    func values() {
        let error = PatchbayError(
            .invalidValue, "too long",
            [
                .byte(1), .collection("users"), .index("by_login"), .row(2), .limit(3), .systemError(4),
                .rowsImported(5),
            ])
        #expect([error.byte, error.row, error.limit, error.rowsImported] == [1, 2, 3, 5])
        #expect(error.collection == "users" && error.index == "by_login" && error.systemError == 4)
    }
}
