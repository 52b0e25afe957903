// Stands in for the use cases of resources until they are merged.
public import PatchbayCore
public import PatchbayDomain

public struct NamedQuestion: Hashable, Sendable {
    public var after: Int64 = 0
}

public struct ListGap: Hashable, Sendable, CustomStringConvertible {
    public let after: Int64
    public var description: String { "" }
}

public struct ItemList: Sendable {
    public var items: [Item]
    public var next: Int64?
    public var goesOn: Bool
    public var isPartial: Bool
    public var state: ListState
    public var gaps: [ListGap]
    public var parent: Item?
}

public enum ItemChange: Hashable, Sendable {
    case inserted(Item)
    case updated(Item)
    case deleted(Item)

    public var item: Item {
        switch self {
        case .inserted(let item), .updated(let item), .deleted(let item): item
        }
    }
}

public struct ItemChanges: AsyncSequence, Sendable {
    public struct Iterator: AsyncIteratorProtocol {
        public mutating func next() async throws -> [ItemChange]? { nil }
    }
    public func makeAsyncIterator() -> Iterator { Iterator() }
}

public struct ListPosition: Hashable, Sendable {
    public let number: Int64
    public let place: Int

    public init(_ number: Int64, place: Int = 0) {
        self.number = number
        self.place = place
    }
}

extension ListPosition: Comparable {
    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        (left.number, left.place) < (right.number, right.place)
    }
}

public struct ListedItem: Hashable, Sendable {
    public let item: Item
    public let position: ListPosition

    public init(_ item: Item, at position: ListPosition) {
        self.item = item
        self.position = position
    }
}

public struct ItemWindowList: WindowList {
    public var collections: Set<String> { [] }
    public var asksSource: Bool { false }
    public func position(of item: ListedItem) -> ListPosition { item.position }
    public func later(
        _ place: WindowPlace<ListPosition>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem> { fatalError() }
    public func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem] { fatalError() }
    public func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition? { nil }
    public func isWhole(in reading: borrowing Reading) throws -> Bool { true }
    public func fetch(_ place: WindowPlace<ListPosition>) async throws {}
}

public enum EditedText {
    public static let bytesMax = 1_024
}

public struct Cleared: Sendable {
    public let rows: Int
    public let keptEdits: Int
}

public struct StoredRowKey: Hashable, Sendable {
    public var collection: String
    public var text: String
}

public struct Favourite: Hashable, Sendable {
    public var row: StoredRowKey
    public var handle: String
    public var title: String
    public var addedAt: Timestamp

    public func item(of resource: Resource) -> Item? { fatalError() }
}

public struct InitialGroup<Element: Sendable>: Sendable {
    public let initial: Initial
    public let elements: [Element]
}

extension InitialGroup<Favourite> {
    public static func grouping(_ favourites: [Favourite]) -> [InitialGroup] { fatalError() }
}

public struct Picture: Hashable, Sendable {
    public var mediaType: String
    public var bytes: [UInt8]
}

public struct StoredPicture: Sendable {
    public static let bytesMax = 1 << 20
    public var picture: Picture
}

public actor VisibleChildren {
    public struct Arrival: Sendable {
        public let parent: Item
        public let answer: Answer<ItemList>
    }
    public static let visibleMax = 1_000
    public func show(_ items: [Item]) {}
    public nonisolated var arrivals: AsyncStream<Arrival> { fatalError() }
    public func close() {}
}

extension SearchOutcome {
    public func sentence(about plural: String) -> String? { fatalError() }
}

extension Gateway {
    public func question(
        _ resource: Resource, list: String? = nil, arguments: [String], after: Int64 = 0
    ) throws -> NamedQuestion { fatalError() }
    public func list(
        _ question: NamedQuestion, skipping: Int = 0, limit: Int = 30, maximum: Int? = nil,
        policy: Policy = .localFirst
    ) -> Answers<ItemList> { fatalError() }
    public func sync(
        _ question: NamedQuestion, from start: SyncStart = .whereItStopped, details: Bool = false,
        concurrency: Int = 8, maximumRequests: Int? = nil
    ) -> Sync { fatalError() }
    public func window(
        _ question: NamedQuestion, size: Int, maximum: Int? = nil, wraps: Bool = false,
        isOffline: Bool = false
    ) -> Window<ItemWindowList> { fatalError() }
    public func watch(
        _ resource: Resource, after: Key? = nil, limit: Int = Limits.pageRows
    ) -> ItemChanges { fatalError() }
    public func initialize(_ question: NamedQuestion) async throws -> Int? { fatalError() }
    public func search(
        _ resource: Resource, _ text: String, page: Int = 1, limit: Int = 20,
        policy: Policy = .localFirst
    ) -> Answers<SearchWindow<Item>> { fatalError() }
    public func searchSession(
        _ resource: Resource, limit: Int = 20, policy: Policy = .localFirst, debounce: Duration? = nil
    ) -> SearchSession<Item> { fatalError() }
    public func matches(
        _ resource: Resource, _ text: String, limit: Int = 200
    ) async throws -> (items: [Item], isComplete: Bool) { fatalError() }

    public func show(
        _ resource: Resource, _ handle: String, policy: Policy = .localFirst
    ) -> Answers<Item> { fatalError() }
    public func edit(
        _ resource: Resource, _ handle: String, _ field: String, to value: String
    ) async throws -> Edited<Item> { fatalError() }
    public func revert(
        _ resource: Resource, _ handle: String, _ field: String? = nil
    ) async throws -> Edited<Item> { fatalError() }
    public func clear(_ resource: Resource, keepingEdits: Bool = false) async throws -> Cleared {
        fatalError()
    }
    public func addFavourite(_ resource: Resource, _ handle: String) async throws -> Edited<Favourite> {
        fatalError()
    }
    public func removeFavourite(_ resource: Resource, _ handle: String) async throws -> Favourite {
        fatalError()
    }
    public func favourites(_ resource: Resource? = nil) async throws -> [Favourite] { fatalError() }
    public func favourites(
        matching text: String, of resource: Resource? = nil
    ) async throws -> [Favourite] { fatalError() }
    public func favourites(among items: [Item]) async throws -> Set<Key> { fatalError() }
    public func picture(
        _ resource: Resource, _ handle: String, policy: Policy = .localFirst
    ) -> Answers<StoredPicture> { fatalError() }
    public func visibleChildren(
        _ resource: Resource, limit: Int = 10, policy: Policy = .localFirst
    ) -> VisibleChildren { fatalError() }
}
