import PatchbayCore
import PatchbayDomain
import SourceSynthetic

/// The rows of a comparison in their stored form. They depend only on the seed.
struct Population: Sendable {
    /// The number of rows on a page of the list.
    static let pageRows = 100
    /// The time at which everything was stored, fixed so that all subjects and all runs store the same.
    static let storedAt = Timestamp(milliseconds: 1_750_000_000_000)

    /// The rows' resource in the open gateway.
    var resource: Resource
    private let feed: SyntheticFeed
    private(set) var count = 0
    private(set) var lastID: Int64 = 0
    /// The ids that the pages start after.
    private(set) var pageStarts: [Int64] = [0]

    init(seed: UInt64) throws {
        resource = try Resource(SyntheticFeed.users, api: SyntheticFeed.word)
        feed = SyntheticFeed(seed: seed, idMax: .max)
    }

    /// The next rows of the list, with their details.
    mutating func grow(by number: Int) throws -> [Item] {
        var items: [Item] = []
        items.reserveCapacity(number)
        while items.count < number {
            lastID += 1
            guard let item = try feed.item(lastID, of: resource) else { continue }
            items.append(item)
            count += 1
            if count % Population.pageRows == 0 { pageStarts.append(lastID) }
        }
        return items
    }

    func item(_ id: Int64) throws -> Item { try feed.item(id, of: resource)! }

    func holds(_ id: Int64) -> Bool { feed.holds(id) }

    /// The id of a random row above `start`, each with the same probability.
    func randomID(_ draws: inout Draw, above start: Int64 = 0) -> Int64 {
        while true {
            let id = start + Int64(draws.below(Int(lastID - start))) + 1
            if feed.holds(id) { return id }
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

    /// The first rows of the list.
    func firstItems(_ number: Int) throws -> [Item] {
        try (1...lastID).lazy.filter(feed.holds).prefix(number).map(item)
    }

    /// The number of pages of the list.
    var pages: Int { (count + Population.pageRows - 1) / Population.pageRows }

    func randomPageStart(_ draws: inout Draw) -> Int64 { pageStarts[draws.below(pages)] }

    /// The row in the form in which a sync with details stores it.
    ///
    /// - Parameter change: a field with another value.
    func packed(
        _ item: Item, changing change: (field: String, value: ItemValue)? = nil
    ) throws -> Item {
        var state = ItemState(fetchedAt: Population.storedAt)
        state.detailFetchedAt = Population.storedAt
        state.detailValidator.entityTag = Population.entityTag(of: item.order!)
        var packing = ItemPacking(item, over: nil, state: state)
        if let change {
            var builder = ItemBuilder()
            builder.begin(resource)
            for field in resource.key { builder.set(field, item[field]) }
            builder.set(resource.field(named: change.field)!, change.value)
            packing = ItemPacking(try builder.finish(), over: item, state: state)
        }
        var builder = RowBuilder()
        packing.write(to: &builder)
        return Item(try builder.finish(), of: resource)
    }

    /// A validator like GitHub's: weak, 64 hexadecimal digits.
    private static func entityTag(of id: Int64) -> String {
        let digits = (0..<4 as Range<UInt64>).map { place in
            Draw.mixed(UInt64(bitPattern: id) &* 4 &+ place).hexadecimal
        }
        return "W/\"" + digits.joined() + "\""
    }

    /// Pages of the list in the form in which a source returns them, by the ids they start after: without details, and
    /// with about half of the rows changed since the revision before.
    func pages(after starts: [Int64], revision: Int) throws -> [Int64: ItemPage] {
        try starts.reduce(into: [:]) { $0[$1] = try page(after: $1, revision: revision) }
    }

    private func page(after start: Int64, revision: Int) throws -> ItemPage {
        var builder = ItemBuilder(), items: [Item] = [], id = start
        while items.count < Population.pageRows, id < lastID {
            id += 1
            guard let item = try feed.item(id, of: resource) else { continue }
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
