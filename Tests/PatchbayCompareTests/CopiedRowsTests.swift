import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayCompare

@Suite("Comparing with copied rows")
struct CopiedRowsTests {
    private let pair = [
        SmallComparison.memory, Plugin<any Storage>("other", "more rows in memory") { _ in MemoryStorage() },
    ]

    /// Orders with a key of two parts, a handle, an editable text and an index.
    private static let orders: ResourceDeclaration = {
        var orders = ResourceDeclaration(
            "orders",
            fields: [
                FieldDeclaration("shop", .text), FieldDeclaration("number", .integer),
                FieldDeclaration("code", .text), FieldDeclaration("status", .text),
                FieldDeclaration("note", .text), FieldDeclaration("price", .real),
            ], key: ["shop", "number"],
            lists: [ListDeclaration(nil, Template([.literal("/shops/"), .parameter(.argument("shop"))]))])
        orders.handle = HandleDeclaration("code")
        orders.editable = ["note"]
        orders.indexes = [IndexDeclaration("by_status", [("status", false), ("number", false)])]
        return orders
    }()

    /// A number of orders, of which some lack the last columns.
    private static func rows(_ count: Int) throws -> ComparedRows {
        let stored = try Resource(orders, api: "market")
        return try ComparedRows.copied(
            orders, word: "market", stored: stored.collection,
            from: RowsOrigin(storage: "test"), words: "the test's storage"
        ) { body in
            for number in 0..<count {
                var builder = ItemBuilder()
                builder.begin(stored)
                builder.set(stored.fields[0], "shop \(number / 10)")
                builder.set(stored.fields[1], Int64(number % 10))
                builder.set(stored.fields[2], "Code-\(number)")
                builder.set(stored.fields[3], ["open", "paid", "sent"][number % 3])
                if number % 2 == 0 { builder.set(stored.fields[5], Double(number) / 4) }
                try builder.finish().withRow { try body($0) }
            }
        }
    }

    private func comparison(
        _ rows: ComparedRows, _ storages: [Plugin<any Storage>]? = nil, workloads: [String] = [],
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) async throws -> Comparison {
        var small = SmallComparison(storages: storages ?? pair, workloads: workloads)
        small.compared = rows
        small.resources = [SourceResources(word: "market", [Self.orders])]
        small.isInterrupted = isInterrupted
        return try await small.run()
    }

    @Test("every workload that the rows permit runs, and honest storages agree in all of them")
    func honest() async throws {
        let rows = try Self.rows(115)
        let comparison = try await comparison(rows)
        #expect(comparison.isComplete && comparison.differences.isEmpty, "\(comparison.differences)")
        #expect(comparison.failures.isEmpty, "\(comparison.failures)")
        #expect(comparison.settings.rows == [115])
        let names = try rows.workloads(named: []).map(\.name)
        #expect(names.contains("get-handle") && names.contains("edit") && names.contains("index-status"))
        #expect(!names.contains("refresh-page") && !names.contains("sync"))
        #expect(comparison.results.map(\.workload) == names.flatMap { [$0, $0] })
        for result in comparison.results where result.skipped == nil {
            #expect(
                result.rounds.allSatisfy { $0.operations > 0 } && result.digest != nil, "\(result.workload)")
        }
    }

    @Test("a storage that drops one of the copied rows is reported")
    func dropped() async throws {
        let liar = LyingStorage(.dropsWrites(every: 50))
        let plugins = [SmallComparison.memory, SmallComparison.plugin("liar", liar)]
        let comparison = try await comparison(try Self.rows(60), plugins, workloads: ["load"])
        let difference = try #require(comparison.differences.first)
        #expect(difference.key == liar.firstLie.withLock { $0 } && difference.workload == "load")
    }

    @Test("the rows of a file are those that were written, and it is removed with its places")
    func file() async throws {
        let folder = try TemporaryDirectory(), path = folder.path + "/rows", rows = try Self.rows(30)
        let source = try #require(rows.source)
        let count = try await RowsFile.write(source, to: path, isInterrupted: { false }) { _ in }
        let file = try RowsFile(path)
        #expect(count == 30 && file.count == 30)
        RowsFile.remove(path)
        #expect(throws: PatchbayError.self) { try RowsFile(path) }
        let item = Item(bytes: try file.row(29), known: .all, of: rows.resource)
        #expect(item.handle == "Code-29" && item["price"] == nil && item.key == ["shop 2", 9])
        #expect(Item(bytes: try file.row(0), known: .all, of: rows.resource)["price"] == .real(0))
    }

    @Test("an interruption ends the copy")
    func interrupted() async throws {
        let asked = Mutex(0)
        let comparison = try await comparison(
            try Self.rows(60),
            isInterrupted: {
                asked.withLock {
                    $0 += 1; return $0 > 10
                }
            })
        #expect(!comparison.isComplete && comparison.results.isEmpty && comparison.failures.isEmpty)
    }

    @Test("too few rows and workloads that the rows do not permit are refused")
    func refused() async throws {
        let few = await #expect(throws: PatchbayError.self) { try await comparison(try Self.rows(19)) }
        #expect(few?.message.contains("the test's storage has 19 orders") == true, "\(few?.message ?? "")")
        for (name, words) in [
            ("sync", "syncs a recording"), ("refresh-page", "made-up users only"), ("get-kei", "get-key"),
        ] {
            let error = await #expect(throws: PatchbayError.self) {
                try await comparison(try Self.rows(30), workloads: [name])
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }
}
