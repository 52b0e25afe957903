/// A stretch of the life of a storage in which each change number was given once.
///
/// A change number is a counter of the transactions that change rows of resources; each row stores that of its last
/// change. Writers take turns, so numbers become visible in their order. Commits may vanish, after a power cut or when
/// a backup takes the place of the storage, and their numbers are given again; then a new incarnation begins. A reader
/// that remembers a number together with the incarnation that gave it notices that.
package struct Incarnation: Hashable, Sendable {
    /// Names the incarnation; random.
    package var id = ""
    /// The first change number that it may give.
    package var first: Int64 = 1
    /// The last change number that it has given; ``first`` - 1 before the first change.
    package var last: Int64 = 0
    /// The place where it was given; see ``StorageIdentity``.
    package var place: String?
    /// The start of the machine in which it was given, if a restart may have lost commits.
    package var start: String?

    package init() {}

    /// The incarnation that begins after a number.
    init(after number: Int64, at identity: StorageIdentity?) {
        id =
            (UInt128(UInt64.random(in: .min ... .max)) << 64 | UInt128(UInt64.random(in: .min ... .max)))
            .hexadecimal
        first = number + 1
        last = number
        place = identity?.place
        start = identity?.start
    }

    /// Whether numbers given here may have been lost, or given in another copy, before the storage came to `identity`.
    func isOver(at identity: StorageIdentity?) -> Bool {
        guard let identity else { return false }
        return place != identity.place || start != nil && start != MachineStart.identifier
    }
}

extension Incarnation: ColumnRecord {
    static let first = RecordColumn(0, "first_number", \Self.first)
    static let id = RecordColumn(1, "id", \Self.id)
    static let last = RecordColumn(2, "last_number", \Self.last)
    static let place = RecordColumn(3, "place", \Self.place)
    static let start = RecordColumn(4, "machine_start", \Self.start)

    package static let columns = [first, id, last, place, start]

    /// The incarnations of a storage, the present one last. They are not copied or exported.
    package static let collection = CollectionSchema("incarnations", key: first.position, fields: fields)

    /// The number of former incarnations that are kept; a position in an older one is unknown.
    static let formerMax = 100

    /// The change numbers that can have been given.
    static let numbers: Range<Int64> = 0..<1 << 62
}

extension Reading {
    /// The present incarnation of the storage; nil before the first change.
    package func incarnation() throws -> Incarnation? {
        try list(Incarnation.self, Query(Incarnation.collection, order: .descending, limit: 1)).first
    }
}

extension Writing {
    /// The change number of this transaction: greater than that of every earlier one. Taking it writes it.
    package mutating func changeNumber() throws -> Int64 {
        if let number = takenNumber { return number }
        var incarnation = try reading.incarnation()
        let identity = writer.identity
        if let known = incarnation, !Incarnation.numbers.contains(known.last) {
            // Written by another program. Numbers that were given before are smaller than those that follow.
            try dropIncarnations(keeping: 0)
            incarnation = Incarnation(after: Incarnation.numbers.upperBound / 2, at: identity)
        } else if incarnation?.isOver(at: identity) ?? true {
            incarnation = Incarnation(after: incarnation?.last ?? 0, at: identity)
            try dropIncarnations(keeping: Incarnation.formerMax)
        }
        // A writer with full durability does not protect the commits of one without.
        incarnation!.start = incarnation!.start ?? identity?.start
        incarnation!.last += 1
        try putUnnoticed(incarnation!)
        takenNumber = incarnation!.last
        return incarnation!.last
    }

    /// The last change number given, by this transaction or before it; 0 before the first one.
    package func lastChangeNumber() throws -> Int64 {
        if let takenNumber { return takenNumber }
        return try reading.incarnation()?.last ?? 0
    }

    /// Ends the present incarnation.
    fileprivate mutating func endIncarnation() throws {
        guard var incarnation = try reading.incarnation() else { return }
        incarnation.place = nil
        try putUnnoticed(incarnation)
    }

    private mutating func dropIncarnations(keeping count: Int) throws {
        let known = try reading.list(Incarnation.self, Query(Incarnation.collection))
        for old in known.dropLast(count) {
            _ = try writer.delete(.integer(old.first), in: Incarnation.collection)
        }
    }

    /// Puts a record without a notice of the change: observers wait for rows, and these come with it.
    private mutating func putUnnoticed(_ incarnation: Incarnation) throws {
        builder.begin(Incarnation.collection)
        incarnation.write(to: &builder)
        try writer.put(builder.finish(), in: Incarnation.collection)
    }
}

extension Store {
    /// Notes in a backup that it is one: the first change to it begins a new incarnation, even if its files were copied
    /// over those of the original.
    package func endIncarnation() async throws {
        guard schema.collections.contains(Incarnation.collection) else { return }
        try await write { try $0.endIncarnation() }
    }
}
