package import PatchbayCore
package import PatchbayDomain

/// When the lists of a resource were last fetched to their ends.
package struct ListAges: Sendable {
    /// The number of lists that were; at most ``listsMax`` are looked at.
    package private(set) var finished = 0
    /// The number of lists of which rows may be missing: those that were begun and never fetched to their ends, those
    /// whose source could not return all rows, and those that were never begun: of rows of another resource, once a
    /// sync was to fetch the lists of all, and of values that the definition names, once one of these was begun. So are
    /// the lists of rows that were cleared and are not stored again: the source may not have these rows any more; and
    /// lists that were fetched from another address or with another token.
    package private(set) var partial = 0
    /// The names of some of them, such as `org rails`; empty for a list without a name or arguments.
    package private(set) var partialNames: [String] = []
    /// The time of the list that was fetched first, perhaps not to its end; nil when there is none.
    package private(set) var oldest: Timestamp?
    /// The time when a list was last fetched to its end; nil when none was.
    package private(set) var newest: Timestamp?
    /// The names of the lists that were begun.
    fileprivate private(set) var names: [String] = []

    /// Whether each list that was begun, at least one, was fetched to its end.
    package var isComplete: Bool { finished > 0 && partial == 0 }

    /// Why stored rows of the resource may not be all that its source has; nil if its lists are complete.
    package func reason(_ plural: String) -> String? {
        if isComplete { return nil }
        return finished == 0
            ? "no list of \(plural) was ever fetched to its end" : "some lists of \(plural) are not complete"
    }

    static let listsMax = 10_000
    /// The number of lists whose first pages are looked at.
    fileprivate static let checkedMax = 1_000
    private static let namesMax = 3

    fileprivate mutating func add(_ run: StoredListRun) {
        guard let time = run.finishedAt else { return }
        finished += 1
        names.append(run.list)
        if run.incomplete != nil { addPartial(run.list) }
        oldest = min(oldest ?? time, time)
        newest = max(newest ?? time, time)
    }

    fileprivate mutating func addPartial(_ list: String) {
        partial += 1
        guard partialNames.count < Self.namesMax else { return }
        partialNames.append(String(list.drop { $0 != "." && $0 != " " }.dropFirst()))
    }

    /// Adds a list whose run has not finished, with its last page, which is its end if an earlier run had finished.
    fileprivate mutating func add(_ run: StoredListRun, _ last: LastPage?) {
        if let last, last.isEnd {
            finished += 1
            newest = max(newest ?? last.fetchedAt, last.fetchedAt)
        }
        let isPartial =
            last?.isEnd != true || run.replacesOther || run.incomplete ?? run.formerIncomplete != nil
        if isPartial { addPartial(run.list) }
        guard let last else { return }
        names.append(run.list)
        let time = min(run.startedAt, last.fetchedAt)
        oldest = min(oldest ?? time, time)
    }

    /// Adds a list that no sync has begun.
    fileprivate mutating func add(_ list: String, _ last: LastPage) {
        names.append(list)
        if last.isEnd { finished += 1 } else { addPartial(list) }
        oldest = min(oldest ?? last.fetchedAt, last.fetchedAt)
        if last.isEnd { newest = max(newest ?? last.fetchedAt, last.fetchedAt) }
    }

    fileprivate typealias LastPage = (isEnd: Bool, fetchedAt: Timestamp)
}

extension Reading {
    /// Returns when the lists of a resource were last fetched to their ends.
    ///
    /// - Parameters:
    ///   - others: the resources of its source, among them the one to whose rows the lists belong.
    ///   - identity: what answers of the source depend on now (`Source.identity`); nil to accept those of any source.
    package func listAges(
        of resource: Resource, among others: [Resource] = [], for identity: String? = nil
    ) throws -> ListAges {
        let name = resource.collection.name
        var ages = ListAges(), unfinished: [StoredListRun] = [], finished: [StoredListRun] = []
        let kinds = [ListName.withArguments(name), ListName.views(name)]
        for bounds in [.equal(.text(name))] + kinds.map(\.bounds) {
            try scan(Query(StoredListRun.collection, bounds, limit: ListAges.listsMax)) { row in
                let run = StoredListRun(row)
                if ListName.isSearch(run.list, in: name) { return .next }
                if run.finishedAt == nil {
                    unfinished.append(run)
                } else if finished.count < ListAges.checkedMax {
                    finished.append(run)
                }
                ages.add(run)
                return .next
            }
        }
        let isWhole = finished.contains { $0.list == name && $0.incomplete == nil }
        if !isWhole {
            try addListsWithoutRun(to: &ages, of: name, except: Set((finished + unfinished).map(\.list)))
        }
        for run in finished where try isBegunForAnother(run, than: identity) { ages.addPartial(run.list) }
        for run in unfinished {
            var last = try lastPage(of: run.list)
            if try isCutOff(run) || isBegunForAnother(run, than: identity) { last?.isEnd = false }
            ages.add(run, last)
        }
        try addMissing(to: &ages, of: resource, among: others)
        let prefix = name + " "
        let hasLists = (finished + unfinished).contains { $0.list.hasPrefix(prefix) }
        try addMissingValues(to: &ages, of: resource, hasLists: hasLists)
        return ages
    }

    /// Adds the lists for values that the definition names (`NAME.each`) that were never begun, although others were.
    ///
    /// - Parameter hasLists: whether a sync has begun a list with arguments.
    private func addMissingValues(
        to ages: inout ListAges, of resource: Resource, hasLists: Bool
    ) throws {
        guard let values = resource.declaration.each?.values,
            resource.declaration.list(named: nil)?.template.parent == nil
        else { return }
        let lists = values.map { ListQuestion(resource, .list(nil), arguments: [$0]).name }
        let missing = try lists.filter {
            try get(StoredListRun.self, .text($0)) == nil && lastPage(of: $0) == nil
        }
        guard hasLists || missing.count < lists.count else { return }
        for list in missing { ages.addPartial(list) }
    }

    /// Adds the lists of which pages were fetched, but none by a sync.
    ///
    /// - Parameter known: the lists that syncs have begun.
    private func addListsWithoutRun(
        to ages: inout ListAges, of name: String, except known: Set<String>
    ) throws {
        if !known.contains(name), let last = try lastPage(of: name) { ages.add(name, last) }
        for kind in [ListName.withArguments(name), ListName.views(name)] {
            var bounds = kind.bounds, left = ListAges.listsMax
            while left > 0,
                let first = try list(
                    StoredListPage.self,
                    Query(StoredListPage.collection, bounds, limit: 1, fields: StoredListPage.withoutKeys)
                ).first
            {
                left -= 1
                bounds = .between(.excluding(.text(first.list)), kind.end)
                guard !known.contains(first.list), !ListName.isSearch(first.list, in: name),
                    !ListName.isPart(first.list),
                    try get(StoredListRun.self, .text(first.list)) == nil,
                    let last = try lastPage(of: first.list)
                else { continue }
                ages.add(first.list, last)
            }
        }
    }

    /// Adds the lists of rows of another resource that were never begun, although all of them were to be fetched.
    private func addMissing(
        to ages: inout ListAges, of resource: Resource, among others: [Resource]
    ) throws {
        for list in resource.declaration.lists {
            guard
                let parent = others.first(where: {
                    $0.name == list.template.parent && $0.api == resource.api && $0.name != resource.name
                })
            else { continue }
            let each = list.name == nil ? resource.declaration.each?.values.map { [$0] } : nil
            for arguments in each ?? (list.template.arguments.isEmpty ? [[]] : []) {
                try addMissing(list, arguments, to: &ages, of: resource, parent, among: others)
                try addCleared(list, arguments, to: &ages, of: resource, parent)
            }
        }
    }

    /// The same for one list of each row of `parent`.
    private func addMissing(
        _ list: ListDeclaration, _ arguments: [String], to ages: inout ListAges, of resource: Resource,
        _ parent: Resource, among others: [Resource]
    ) throws {
        guard
            let round = try get(
                StoredListRun.self, .text(ChildList.roundName(resource, list.name, arguments, of: parent)))
        else { return }
        let rows = try parent.changed(since: round).flatMap {
            try listedItems($0, of: parent, limit: ListAges.listsMax)
        }
        if rows.count >= ListAges.listsMax {
            ages.addPartial("\(resource.collection.name) of further \(parent.plural)")
        }
        for row in rows {
            let name = ListQuestion(resource, .list(list.name), arguments: arguments, parent: row).name
            guard list.template.canBeFilled(from: row) else { continue }
            if try get(StoredListRun.self, .text(name)) == nil { ages.addPartial(name) }
        }
        // Rows that were never fetched have lists, too.
        if try listAges(of: parent, among: others.filter { $0.name != resource.name }).partial > 0 {
            ages.addPartial("\(resource.collection.name) of further \(parent.plural)")
        }
    }

    /// Adds the lists of rows of `parent` that were cleared and are not stored again.
    private func addCleared(
        _ list: ListDeclaration, _ arguments: [String], to ages: inout ListAges, of resource: Resource,
        _ parent: Resource
    ) throws {
        guard try clearings(of: parent) != 0 else { return }
        func name(of row: Item?) -> String {
            ListQuestion(resource, .list(list.name), arguments: arguments, parent: row).name
        }
        let start = name(of: nil) + " "
        var cleared = Set(ages.names.filter { $0.hasPrefix(start) && !ListName.isPart($0) })
        guard !cleared.isEmpty else { return }
        try scan(Query(parent.collection)) { row in
            cleared.remove(name(of: Item(row, of: parent)))
            return cleared.isEmpty ? .stop : .next
        }
        for list in cleared.sorted() { ages.addPartial("\(list) of a cleared \(parent.singular)") }
    }

    /// Whether the first page was fetched from another address or for another account than those of the source now, or,
    /// since a run that has finished, also with another definition if there are further pages.
    private func isBegunForAnother(_ run: StoredListRun, than identity: String?) throws -> Bool {
        guard let first = try get(StoredListPage.self, [.text(run.list), .integer(0)]) else { return false }
        if let identity, first.validator.doubt(for: identity) != nil { return true }
        guard run.finishedAt != nil, first.next != nil, let partition = first.validator.partition else {
            return false
        }
        return !run.query.hasPrefix(partition + " ")
    }

    /// Whether the page after those of a run is of an earlier run and no longer follows.
    private func isCutOff(_ run: StoredListRun) throws -> Bool {
        guard run.since == nil, let next = run.next else { return false }
        let page = try get(StoredListPage.self, [.text(run.list), .integer(run.position)])
        return page.map { $0.link != next } ?? false
    }

    private func lastPage(of list: String) throws -> ListAges.LastPage? {
        let name = Bounds.equal(.text(list))
        let stretches = Query(StoredListStretch.collection, name, order: .descending, limit: 1)
        if let last = try self.list(StoredListStretch.self, stretches).first {
            return (last.next == nil, last.fetchedAt)
        }
        let pages = Query(StoredListPage.collection, name, order: .descending, limit: 1)
        return try self.list(StoredListPage.self, pages).first.map { ($0.next == nil, $0.fetchedAt) }
    }
}

extension Resource {
    /// The rows that may have no lists after a round of the lists of all rows: once it has finished, those that have
    /// changed since it began, or were stored by another program.
    fileprivate func changed(since round: StoredListRun) -> [Query] {
        guard round.finishedAt != nil, let number = round.changeNumber else { return [Query(collection)] }
        return [Bounds.equal(.null), .between(.excluding(.integer(number)), nil)].map {
            Query(collection, by: changeIndex, $0)
        }
    }
}

extension Template {
    /// Whether a row has the values that the address of its list needs.
    fileprivate func canBeFilled(from row: Item) -> Bool {
        parameters.allSatisfy { if case .field(_, let field) = $0 { row[field] != nil } else { true } }
    }
}
