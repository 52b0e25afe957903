import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("An answer from a store without rows")
struct EmptyStoreTests {
    private let gateway: Gateway
    private let declared = DeclaredResources(word: "sample", chosen: ScriptedFeed.declarations).chosen

    init() async throws {
        var source = ScriptedFeed(people: 1...3).source(named: "sample")
        source.word = "sample"
        gateway = try await Gateway(storage: MemoryStorage(), source: source, now: ManualClock().now)
    }

    private func line(
        _ place: Int, _ arguments: [String] = [], _ outcome: Outcome = .localOnly
    ) async throws -> String {
        let resource = try gateway.resource(declared[place].declaration.name)
        let question = try gateway.question(resource, arguments: arguments)
        let answer = await gateway.list(question, policy: .localOnly).ending
        var status = Status(answer, .init(resource.declaration), count: 0, from: gateway.source)
        status.outcome = outcome
        try await status.noteEmptyStore(of: declared[place], resource, in: gateway)
        return status.line
    }

    @Test("names the command that fetches rows, but not after a query or if rows are stored")
    func hint() async throws {
        #expect(try await line(0).hasSuffix("\"patchbay sync people\" fetches people"))
        #expect(
            try await line(1, ["ada"]).hasSuffix("\"patchbay sync projects OWNER\" fetches projects"))
        #expect(try await !line(0, [], .fresh).contains("patchbay sync"))
        _ = await (try gateway.sync("people")).run()
        #expect(try await !line(0).contains("patchbay sync"))
    }
}
