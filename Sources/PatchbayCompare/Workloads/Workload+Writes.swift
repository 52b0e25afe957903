import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Workload {
    private static let pagesATurn = 4

    static let durableWrite = saves(
        "durable-write", "save one changed row in a separate transaction, with the configured durability",
        rows: 1, count: 16)

    static let durablePage = saves(
        "durable-page", "save 20 changed rows in one transaction, with the configured durability",
        rows: pageRows, count: pagesATurn)

    private static func saves(_ name: String, _ summary: String, rows: Int, count: Int) -> Workload {
        Workload(name: name, summary: summary, isBare: true, turnsARound: 16, writes: true) { bench, turn in
            let saves = try (0..<count).map { _ in
                try bench.population.differentIDs(rows, &turn.draws).map { id in
                    let text = turn.draws.text(bytes: 10 + turn.draws.below(150))
                    return try bench.population.packed(bench.population.item(id), changedTo: text)
                }
            }
            try await turn.save(saves) { "save \(bench.names($0))" }
        }
    }

    static let edit = Workload(
        name: "edit", summary: "edit a field of a row, found by its name, in a separate transaction",
        need: .editableField, turnsARound: 16, writes: true
    ) { bench, turn in
        let resource = bench.resource, field = resource.editable[0].name
        let edits = try bench.population.randomIDs(pagesATurn, &turn.draws).map { id in
            let name = try bench.population.item(id).handle
            // Names that people type have a few words; spaces at the ends would be removed.
            return (name: name, text: "e" + turn.draws.text(bytes: 4 + turn.draws.below(20)) + "e")
        }
        try await turn.run(edits, query: { "edit \(resource.singular) \"\($0.name)\" \(field)=\($0.text)" }) {
            bench.clock.step()
            return .row(try await bench.gateway.edit(resource, $0.name, field, to: $0.text).value)
        }
    }

    static let refreshPage = Workload(
        name: "refresh-page", summary: "refresh a page of 100 users, half of them changed, and read it",
        need: .synthetic, turnsARound: 16, writes: true
    ) { bench, turn in
        let starts = (0..<pagesATurn).map { _ in bench.population.randomPageStart(&turn.draws) }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1))
        try await turn.run(starts, query: { "refresh users after \($0) limit 100" }) { start in
            bench.clock.step()
            return .rows(
                try await bench.refresh(after: start, limit: Population.pageRows))
        }
    }

    static let syncResume = Workload(
        name: "sync-resume", summary: "resume a sync of the list of users for one page of 100",
        need: .synthetic, turnsARound: 16, writes: true
    ) { bench, turn in
        let first = turn.number * pagesATurn % bench.population.pages
        let starts = (0..<pagesATurn).map { place in
            bench.population.pageStarts[(first + place) % bench.population.pages]
        }
        bench.feed.prepare(try bench.population.pages(after: starts, revision: turn.number + 1_000_001))
        try await turn.run(starts, query: { "sync users after \($0), one page" }) { _ in
            bench.clock.step()
            return .numbers([try await bench.syncOnePage()])
        }
    }

    /// The most rows of a sync that are compared.
    private static let syncedRowsMax = 10_000

    static let sync = Workload(
        name: "sync", summary: "sync the recording into an empty storage", need: .recording, turnsARound: 1
    ) { bench, turn in
        try await bench.withReplay { gateway, sync in
            let start = Clock.monotonic(), processorStart = Clock.processor()
            try await sync()
            let nanoseconds = Clock.monotonic() - start, processor = Clock.processor() - processorStart
            let resource = try gateway.resource(bench.resource.name)
            let query = Query(resource.collection, limit: syncedRowsMax)
            let rows = try await gateway.store.read { try $0.items(query, of: resource) }
            try turn.take([.rows(rows)], [[nanoseconds]], processorNanoseconds: processor) { _ in
                "sync the recording"
            }
        }
    }
}

extension Workload {
    /// The number of rows per transaction of a load.
    static let loadRows = 1_000

    static let load = Workload(
        name: "load", summary: "save up to 1,000 new rows in one transaction", isLoad: true, isBare: true,
        writes: true
    ) { bench, turn in
        let items = try bench.population.grow(by: min(loadRows, bench.rows - bench.population.count))
        let rows = try items.map { try bench.population.packed($0) }
        turn.isLast = bench.population.count == bench.rows
        try await turn.save([rows]) { "save \(bench.names($0.prefix(1))) and the rows after it" }
        if turn.isLast, bench.bare == nil { try await bench.completeList() }
    }
}

extension Writing {
    mutating func put(_ rows: some Sequence<Item>) throws {
        for row in rows { try row.withRow { try put($0, in: row.resource.collection) } }
    }
}
