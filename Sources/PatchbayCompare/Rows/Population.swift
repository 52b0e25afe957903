import PatchbayCore
import PatchbayDomain
import SourceSynthetic

/// The rows of a comparison in their stored form, by number: the id of a made-up user, or the place of a copied row
/// from 1. They depend only on the seed, or on the copy.
struct Population: Sendable {
    /// The number of rows on a page of the list.
    static let pageRows = 100
    /// The time at which everything was stored, fixed so that all subjects and all runs store the same.
    static let storedAt = Timestamp(milliseconds: 1_750_000_000_000)

    /// The rows' resource in the open gateway.
    var resource: Resource
    private let origin: Origin
    private(set) var count = 0
    private(set) var lastID: Int64 = 0
    /// The ids that the pages start after.
    private(set) var pageStarts: [Int64] = [0]

    private enum Origin: Sendable {
        case synthetic(SyntheticFeed)
        case copied(RowsFile)
    }

    /// Made-up users.
    init(seed: UInt64) throws {
        resource = try ComparedRows.synthetic().resource
        origin = .synthetic(SyntheticFeed(seed: seed, idMax: .max))
    }

    /// Copied rows of a resource.
    init(_ rows: RowsFile, of resource: Resource) {
        self.resource = resource
        origin = .copied(rows)
    }

    /// The same rows before the first of them was stored.
    func restarted() -> Population {
        var population = self
        (population.count, population.lastID, population.pageStarts) = (0, 0, [0])
        return population
    }

    /// The next rows of the list, with their details.
    mutating func grow(by number: Int) throws -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(number)
        while items.count < number {
            lastID += 1
            guard holds(lastID) else { continue }
            items.append(try item(lastID))
            count += 1
            if count % Population.pageRows == 0 { pageStarts.append(lastID) }
        }
        return items
    }

    func item(_ id: Int64) throws -> Item {
        switch origin {
        case .synthetic(let feed): try feed.item(id, of: resource)!
        case .copied(let rows): Item(bytes: try rows.row(Int(id) - 1), known: .all, of: resource)
        }
    }

    func key(_ id: Int64) throws -> Key {
        if case .synthetic = origin { return .integer(id) }
        return try item(id).key
    }

    func holds(_ id: Int64) -> Bool {
        switch origin {
        case .synthetic(let feed): feed.holds(id)
        case .copied(let rows): (1...rows.count).contains(Int(id))
        }
    }

    /// The id of a random row above `start`, each with the same probability.
    func randomID(_ draws: inout Draw, above start: Int64 = 0) -> Int64 {
        while true {
            let id = start + Int64(draws.below(Int(lastID - start))) + 1
            if holds(id) { return id }
        }
    }

    func randomIDs(_ number: Int, _ draws: inout Draw) -> [Int64] {
        (0..<number).map { _ in randomID(&draws) }
    }

    func differentIDs(_ number: Int, _ draws: inout Draw) -> [Int64] {
        var ids: [Int64] = [], known: Set<Int64> = []
        while ids.count < number {
            let id = randomID(&draws)
            if known.insert(id).inserted { ids.append(id) }
        }
        return ids
    }

    /// The ids of the first rows of the list after one.
    func ids(after start: Int64 = 0, _ number: Int) -> [Int64] {
        guard start < lastID else { return [] }
        return Array((start + 1...lastID).lazy.filter(holds).prefix(number))
    }

    /// The number of pages of the list.
    var pages: Int { (count + Population.pageRows - 1) / Population.pageRows }

    func randomPageStart(_ draws: inout Draw) -> Int64 { pageStarts[draws.below(pages)] }

    /// The row in the form in which a sync with details stores it, or in which it was copied.
    ///
    /// - Parameter text: another value for a field.
    func packed(_ item: Item, changedTo text: String? = nil) throws -> Item {
        var state = item.state
        if case .synthetic = origin {
            state = ItemState(fetchedAt: Population.storedAt)
            state.detailFetchedAt = Population.storedAt
            state.detailValidator.entityTag = Population.entityTag(of: item.order!)
        } else if text == nil {
            return item
        }
        var packing = ItemPacking(item, over: nil, state: state)
        if let text {
            var builder = ItemBuilder()
            builder.begin(resource)
            for field in resource.key { builder.set(field, item[field]) }
            if let field = changeable { builder.set(field, text) }
            packing = ItemPacking(try builder.finish(), over: item, state: state)
            if changeable == nil { packing.state.fetchedAt = Population.time(of: text) }
        }
        var builder = RowBuilder()
        packing.write(to: &builder)
        return Item(try builder.finish(), of: resource)
    }

    /// The field that changes when a row changes: the last text that is in no index; nil when there is none, so that
    /// the time of the row's answer changes instead.
    private var changeable: ResourceField? {
        let collection = resource.collection
        let indexed = Set((collection.indexes + [collection.primaryKey]).flatMap { $0.parts.map(\.position) })
        return resource.fields.last { field in
            field.type == .text && !indexed.contains(field.position) && !resource.key.contains(field)
                && field.foldedPosition == nil
        }
    }

    /// A time that a text determines.
    private static func time(of text: String) -> Timestamp {
        let number = text.utf8.reduce(0 as Int64) { ($0 &* 31 &+ Int64($1)) & 0xFF_FFFF }
        return Timestamp(milliseconds: storedAt.milliseconds + number)
    }

    /// A validator like GitHub's: weak, 64 hexadecimal digits.
    private static func entityTag(of id: Int64) -> String {
        let digits = (0..<4 as Range<UInt64>).map { place in
            Draw.mixed(UInt64(bitPattern: id) &* 4 &+ place).hexadecimal
        }
        return "W/\"" + digits.joined() + "\""
    }

    /// Pages of the list of made-up users in the form in which a source returns them, by the ids they start after:
    /// without details, and with about half of the rows changed since the revision before.
    func pages(after starts: [Int64], revision: Int) throws -> [Int64: ItemPage] {
        try starts.reduce(into: [:]) { $0[$1] = try page(after: $1, revision: revision) }
    }

    private func page(after start: Int64, revision: Int) throws -> ItemPage {
        var builder = ItemBuilder(), items: [Item] = [], id = start
        while items.count < Population.pageRows, id < lastID {
            id += 1
            guard holds(id) else { continue }
            let item = try item(id)
            builder.begin(resource)
            for field in resource.fields where !field.declaration.isDetail { builder.set(field, item[field]) }
            builder.set(
                resource.field(named: "avatar_url")!,
                "https://avatars.example.org/u/\(id)?v=\(Population.changes(id, revision))")
            items.append(try builder.finish())
        }
        var page = ItemPage(items, next: id < lastID ? "after \(id)" : nil)
        page.isFull = items.count == Population.pageRows
        return page
    }

    /// The pages in their stored form, with the continuation of the list after each.
    func storedPages() -> [StoredListStretch] {
        zip(pageStarts, pageStarts.dropFirst() + [lastID]).prefix(pages).map { start, end in
            var page = StoredListStretch(
                list: ListQuestion(resource).name, after: start, end: end, fetchedAt: Population.storedAt)
            page.next = end < lastID ? "after \(end)" : nil
            page.validator.entityTag = "\"page \(start)\""
            page.isFull = end < lastID
            return page
        }
    }

    /// The number of changes of a row up to a revision. Half of the rows change at odd revisions, the others at even
    /// ones.
    private static func changes(_ id: Int64, _ revision: Int) -> Int {
        (revision + Int(Draw.mixed(UInt64(bitPattern: id)) & 1)) / 2
    }
}
