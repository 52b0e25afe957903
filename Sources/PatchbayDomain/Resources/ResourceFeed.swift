public import PatchbayCore

/// Where the rows of resources come from: pages of lists and searches, and single rows, each asked for conditionally.
public protocol ResourceFeed: Sendable {
    /// A page of a list or of what a search finds, in the source's order.
    ///
    /// - Parameter validator: what the page's last answer was stored with; empty asks unconditionally.
    /// - Throws: an error with ``ForeignLink`` as its cause for a next page that another server named, with
    ///   ``VoidCursor`` for one that the source leads to no more.
    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage>

    /// One row with its details. A row that was renamed is found by a former handle while the source leads there: its
    /// key is the same.
    ///
    /// - Throws: `notFound` when the source says that there is no such row; an error with a ``Refusal`` as its cause
    ///   when it knows the row and refuses to show it.
    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item>
}

/// Why a source refuses ``ItemPage/next``: what was once the next page is so no more, as when a cursor has expired.
///
/// It is the cause of the error that the source throws. A use case then asks for the list from its start, once.
public struct VoidCursor: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String { "the cursor is void" }
}

extension PatchbayError {
    /// Whether a source refused a cursor because it is void.
    public var isAboutVoidCursor: Bool { cause is VoidCursor }
}

/// Which page of which list.
public struct ItemRequest: Hashable, Sendable {
    public var question: ListQuestion
    /// What the page before named as its next (``ItemPage/next``); nil for the first page.
    public var next: String?

    public init(_ question: ListQuestion, next: String? = nil) {
        self.question = question
        self.next = next
    }
}

/// A list of a resource's rows, or a search.
public struct ListQuestion: Hashable, Sendable {
    /// Which rows are asked for.
    public enum Subject: Hashable, Sendable {
        /// A list; nil is the one that is meant when no other is named.
        case list(String?)
        /// What the source finds for a text.
        case search(String)
    }

    public var resource: Resource
    public var subject: Subject
    /// The values of the list's arguments (``Template/arguments``), in their order.
    public var arguments: [String]
    /// The stored row that the list belongs to; nil for a list that belongs to none.
    public var parent: Item?
    /// Where an ordered list is entered: rows with greater values of its order; 0 is the start.
    public var after: Int64 = 0
    /// The value of the field of ``ResourceDeclaration/since`` in the newest stored row: only rows that are not older
    /// are requested. Nil requests the whole list.
    public var since: ItemValue?

    public init(
        _ resource: Resource, _ subject: Subject = .list(nil), arguments: [String] = [], parent: Item? = nil
    ) {
        self.resource = resource
        self.subject = subject
        self.arguments = arguments
        self.parent = parent
    }
}

extension ListQuestion {
    /// What messages call the list, and what it is stored under: `github_repos apple`.
    ///
    /// A parent is named by its key, so that a list stays the same when the parent is renamed.
    public var name: String {
        var words = [resource.collection.name]
        switch subject {
        case .list(let list): if let list { words[0] += "." + list }
        case .search(let text): words += ["found by", text]
        }
        words += arguments.map { resource.declaration.ignoresCase ? $0.lowercased() : $0 }
        if let parent { words.append(parent.key.values.map(\.description).joined(separator: " ")) }
        return words.joined(separator: " ")
    }
}

/// A page of a list, as a source gave it.
public struct ItemPage: Sendable {
    public var items: [Item]
    /// How to ask for the page after this one; nil at the end of the list. Only the source understands it.
    public var next: String?
    /// Whether the page holds as many rows as it may. "Unchanged" about a full last page does not prove that no page
    /// has come after it.
    public var isFull = false
    /// How many pages the list has in all, where the source says.
    public var pageCount: Int64?
    /// Of a search: how many results there are, given or not.
    public var total: Int64?
    /// Of a search: whether the source ran out of time, so that some may be missing.
    public var isIncomplete = false
    /// Of a search: the most results that the source gives, when the list ends here because of it.
    public var cap: Int64?

    public init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}
