public import PatchbayCore
public import PatchbayDomain

/// The last change of a row, or the clearing of a resource.
public enum Change: Hashable, Sendable {
    /// A row as it is after its last change. It may be missing or no longer listed; see `Item.state`.
    case row(Item)
    /// All rows of a resource were removed; those that a reader has are void.
    case cleared(Resource, at: Timestamp)

    /// The resource of the row, or the one that was cleared.
    public var resource: Resource {
        switch self {
        case .row(let item): item.resource
        case .cleared(let resource, _): resource
        }
    }

    /// The kind as a word in JSON.
    package var kind: String {
        switch self {
        case .row(let item): item.state.goneAt == nil ? "row" : "gone"
        case .cleared: "cleared"
        }
    }
}

/// Changes that follow a position, in the order of their commits.
public struct Changes: Sendable {
    /// At most as many as were requested. A row occurs once, as it is now.
    public let changes: [Change]
    /// The position after ``changes``.
    public let position: ChangePosition
    /// Whether more changes follow.
    public let hasMore: Bool
    /// Why the feed starts over instead of continuing after the given position; nil when it continues. A reader removes
    /// the rows that it has, because some of them may never have been stored, and takes all that follow.
    public let restart: Restart?

    init(_ changes: [Change], position: ChangePosition, hasMore: Bool, _ restart: Restart?) {
        self.changes = changes
        self.position = position
        self.hasMore = hasMore
        self.restart = restart
    }

    /// The position after the last change of the page, however many changes other resources had since.
    package var lastSeen: ChangePosition {
        switch changes.last {
        case nil: ChangePosition(incarnation: position.incarnation, number: 0, of: position.resources)
        case .cleared: position
        case .row(let item):
            ChangePosition(
                incarnation: position.incarnation, number: item.changeNumber == 0 ? nil : item.changeNumber,
                row: .init(collection: item.resource.collection.name, key: KeyText(item.key)),
                of: position.resources)
        }
    }

    /// Why the feed starts over.
    public enum Restart: String, CaseIterable, Sendable {
        /// The position is of another storage, or of a part of this one's past that it no longer knows.
        case unknownPosition = "unknown-position"
        /// Commits before the position were lost, by a power cut, a restored backup or a failover.
        case lostChanges = "lost-changes"
        /// The position is of a reader that did not read all of these resources.
        case otherResources = "other-resources"

        /// The reason as the end of a sentence.
        package var words: String {
            switch self {
            case .unknownPosition: "the position is of another storage, or too old"
            case .lostChanges: "the storage has lost changes that were made before the position"
            case .otherResources: "the position is of fewer resources"
            }
        }
    }
}
