package import PatchbayCore
package import PatchbayDomain

extension Store {
    /// The changes of some resources after a position, in one snapshot.
    ///
    /// - Parameters:
    ///   - position: nil for the start, which returns every row.
    ///   - limit: the maximum number of changes, 1 to 10,000 (`Limits.pageRows`).
    package func changes(
        of resources: [Resource], since position: ChangePosition?, limit: Int
    ) async throws -> Changes {
        Changes.checkLimit(limit)
        return try await read { reading in
            let incarnation = try reading.incarnation()
            let digests = ChangePosition.digests(of: resources)
            let end = ChangePosition(
                incarnation: incarnation?.id ?? "", number: incarnation?.last ?? 0, of: digests)
            let restart = try position.flatMap { try reading.restart(from: $0, for: digests) }
            let start = restart == nil ? position : nil
            var first: [NumberedChange] = []
            // Resources whose changes come first fill the page, so that little is read of the others.
            for resource in try reading.sorted(resources, after: start, until: end) {
                let more = try reading.changes(
                    of: resource, after: start, until: end, atMost: limit + 1,
                    before: first.count > limit ? first[limit] : nil)
                first = NumberedChange.merged(first, more, atMost: limit + 1)
            }
            guard first.count > limit else {
                return Changes(first.map(\.change), position: end, hasMore: false, restart)
            }
            let last = first[limit - 1]
            let position = ChangePosition(
                incarnation: end.incarnation, number: last.number, row: last.row, of: digests)
            return Changes(first.prefix(limit).map(\.change), position: position, hasMore: true, restart)
        }
    }
}

extension Changes {
    /// Ends the process for a limit that no page of changes can have.
    static func checkLimit(_ limit: Int) {
        precondition((1...Limits.pageRows).contains(limit), "a page has 1 to \(Limits.pageRows) changes")
    }
}

extension Reading {
    /// Why a reader at a position has to start over; nil when it can continue.
    fileprivate func restart(
        from position: ChangePosition, for resources: [UInt32]
    ) throws -> Changes.Restart? {
        if let read = position.resources, !Set(read).isSuperset(of: resources) { return .otherResources }
        let known = try list(Incarnation.self, Query(Incarnation.collection))
        if position.incarnation.isEmpty {
            // The reader has seen rows without numbers, and the first incarnation counts from 1.
            return known.first.map { $0.first == 1 } ?? true ? nil : .unknownPosition
        }
        guard let place = known.firstIndex(where: { $0.id == position.incarnation }) else {
            return .unknownPosition
        }
        guard let number = position.number else { return nil }
        let isLost = place + 1 < known.count ? number >= known[place + 1].first : number > known[place].last
        return isLost ? .lostChanges : nil
    }

    /// The resources in the order of their first changes after a position.
    fileprivate func sorted(
        _ resources: [Resource], after position: ChangePosition?, until end: ChangePosition
    ) throws -> [Resource] {
        guard resources.count > 1 else { return resources }
        let firsts = try resources.map { resource in
            var number = Int64.max
            var query = Query(resource, after: position, until: end)
            query.limit = 1
            query.fields = FieldSet(positions: [resource.changeNumberPosition])
            try scan(query) { row in
                let place = resource.changeNumberPosition
                number = row.isNull(place) ? 0 : row.integer(place)
                return .stop
            }
            return (resource, number)
        }
        return firsts.sorted { $0.1 < $1.1 }.map(\.0)
    }

    /// The first changes of a resource after a position.
    ///
    /// - Parameter other: a change of another resource, after which none is needed.
    fileprivate func changes(
        of resource: Resource, after position: ChangePosition?, until end: ChangePosition, atMost limit: Int,
        before other: NumberedChange?
    ) throws -> [NumberedChange] {
        var changes: [NumberedChange] = []
        let clearing =
            try position == nil ? nil : get(StoredClearing.self, .text(resource.collection.name))
        // The rows that follow are of transactions after the clearing, or of the same one.
        if let clearing, let number = clearing.changeNumber, let position,
            number <= end.number!, position.precedesClearing(number, of: resource)
        {
            changes.append(NumberedChange(number, .cleared(resource, at: clearing.clearedAt)))
        }
        try scan(Query(resource, after: position, until: end)) { row in
            let place = resource.changeNumberPosition
            let change = NumberedChange(
                row.isNull(place) ? nil : row.integer(place), .row(Item(row, of: resource)))
            guard changes.count < limit, other.map(change.precedes) ?? true else { return .stop }
            changes.append(change)
            return .next
        }
        return changes
    }
}

extension ChangePosition {
    fileprivate func precedesClearing(_ number: Int64, of resource: Resource) -> Bool {
        guard let ownNumber = self.number, ownNumber >= number else { return true }
        return ownNumber == number && row.map { $0.collection < resource.collection.name } ?? false
    }
}

extension Query {
    /// A walk along the changes of a resource from one position to another, which follows all changes of its number.
    fileprivate init(_ resource: Resource, after position: ChangePosition?, until end: ChangePosition) {
        let name = resource.collection.name
        var lower: Bounds.Bound?, after: Key?
        if let position {
            let number = position.number.map(Key.integer) ?? .null
            if let row = position.row, row.collection <= name {
                lower = .including(number)
                if row.collection == name, let key = row.key.flatMap({ KeyText.key($0.text, of: resource) }) {
                    after = .compound([number] + key.values)
                }
            } else {
                lower = .excluding(number)
            }
        }
        // A number that this storage has not given was written by another program.
        let upper = Bounds.Bound.including(.integer(end.number!))
        self.init(resource.collection, by: resource.changeIndex, .between(lower, upper), after: after)
    }
}

private struct NumberedChange {
    /// Nil for a row without a number, which precedes all others.
    let number: Int64?
    let change: Change

    init(_ number: Int64?, _ change: Change) {
        self.number = number
        self.change = change
    }

    /// The place of the change among those with its number.
    var row: ChangePosition.Row {
        switch change {
        case .row(let item): .init(collection: item.resource.collection.name, key: KeyText(item.key))
        case .cleared(let resource, _): .init(collection: resource.collection.name, key: nil)
        }
    }

    /// Whether it comes before a change of another resource.
    func precedes(_ other: NumberedChange) -> Bool {
        if number == other.number {
            return change.resource.collection.name < other.change.resource.collection.name
        }
        guard let number else { return true }
        return other.number.map { number < $0 } ?? false
    }

    /// The first of two sequences of changes, each in order and of different resources.
    static func merged(_ left: [NumberedChange], _ right: [NumberedChange], atMost limit: Int)
        -> [NumberedChange]
    {
        var left = left[...], right = right[...], merged: [NumberedChange] = []
        while merged.count < limit, let next = left.first ?? right.first {
            if let other = right.first, left.isEmpty || other.precedes(next) {
                merged.append(right.removeFirst())
            } else {
                merged.append(left.removeFirst())
            }
        }
        return merged
    }
}
