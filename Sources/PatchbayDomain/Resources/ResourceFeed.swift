public import PatchbayCore

/// Returns the rows of resources: pages of lists and searches, and single rows, each with a conditional request.
public protocol ResourceFeed: Sendable {
    /// Returns a page of a list or of search results, in the source's order.
    ///
    /// - Parameter validator: the validator stored with the page's last answer; an empty one requests unconditionally.
    /// - Throws: an error with ``VoidCursor`` as its cause for a next page that no longer exists.
    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage>

    /// Returns one row with its details. A renamed row is found by a former handle as long as the source redirects it;
    /// its key is the same.
    ///
    /// - Throws: `notFound` when the source reports that the row does not exist; an error with a ``Refusal`` as its
    ///   cause when it knows the row and refuses to return it.
    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item>
}

/// Why a source refuses ``ItemPage/next``: it is no longer valid, for example because a cursor has expired.
///
/// It is the cause of the error that the source throws. The use case then requests the list from its start, once.
public struct VoidCursor: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the cause; details belong in the message of the error that carries it.
    public init() {}

    /// The reason, for messages: "the cursor is void".
    public var description: String { "the cursor is void" }
}

extension PatchbayError {
    /// Whether a source refused a cursor because it is void.
    package var isAboutVoidCursor: Bool { cause is VoidCursor }
}

/// A page of a list.
public struct ItemRequest: Hashable, Sendable {
    /// The list or search to which the page belongs.
    public var question: ListQuestion
    /// The link to this page from the page before (``ItemPage/next``); nil for the first page.
    public var next: String?
    /// The link from this page to the page after it when the page was last fetched; nil when that is not known, or
    /// there was none.
    package var storedNext: String?

    /// Creates the request for a first page, or for the page of a link.
    public init(_ question: ListQuestion, next: String? = nil) {
        self.question = question
        self.next = next
    }
}

/// A list of a resource's rows, or a search.
public struct ListQuestion: Hashable, Sendable {
    /// The rows that are requested.
    public enum Subject: Hashable, Sendable {
        /// A list; nil is the default one.
        case list(String?)
        /// The source's results for a text.
        case search(String)
    }

    /// The resource whose rows are requested.
    public var resource: Resource
    /// The list or the search text.
    public var subject: Subject
    /// The values of the list's arguments, in the order of its path.
    public var arguments: [String]
    /// The stored row to which the list belongs; nil for a list without a parent.
    public var parent: Item?
    /// Where to start in an ordered list: at rows with greater values of its order; 0 is the start.
    public var after: Int64 = 0
    /// The newest stored value of the field of `NAME.since` in the definition; only rows that are not older are
    /// requested. Nil requests the whole list.
    public var since: ItemValue?

    /// Creates a question for a whole list, or for all results of a search.
    public init(
        _ resource: Resource, _ subject: Subject = .list(nil), arguments: [String] = [], parent: Item? = nil
    ) {
        self.resource = resource
        self.subject = subject
        self.arguments = arguments
        self.parent = parent
    }

    /// The words between the resource and the text in the name of a search.
    package static let foundBy = "found by"

    /// The name of the list in messages and in the storage: `github_repos apple`.
    ///
    /// A parent is named by its key, so that a list's name does not change when the parent is renamed.
    public var name: String {
        var words = [resource.collection.name]
        switch subject {
        case .list(let list): if let list { words[0] += "." + list }
        case .search(let text): words += [Self.foundBy, text]
        }
        words += arguments.map { resource.declaration.ignoresCase ? $0.lowercased() : $0 }
        if let parent { words.append(parent.key.values.map(\.description).joined(separator: " ")) }
        return words.joined(separator: " ")
    }
}

/// A page of a list, as a source returned it.
public struct ItemPage: Sendable {
    /// The rows, in the source's order.
    public var items: [Item]
    /// The link to the next page; nil at the end of the list. Only the source interprets it.
    public var next: String?
    /// Whether the page contains the maximum number of rows. "Unchanged" for a full last page does not prove that no
    /// further page has appeared.
    public var isFull = false
    /// Whether the page was requested as number 1 after a first page that was not. If the source numbers its pages from
    /// 1, it returns the first one again.
    package var isOne = false
    /// The total number of pages, if the source reports it.
    public var pageCount: Int64?
    /// The number of rows of the whole list, or of results of a search, whether returned or not.
    public var total: Int64?
    /// Why rows of the page, or the pages after it, may be missing; nil when none are.
    public var shortfall: Shortfall?
    /// For a search: whether the source ran out of time, so that some may be missing.
    public var isIncomplete = false
    /// For a search: the source's maximum number of results, when the list ends here because of it.
    public var cap: Int64?
    /// How many values of each field are null because they have another type than the declared one. Fields without such
    /// values are absent.
    public var emptied: [String: Int] = [:]
    /// How many texts of each field contain U+FFFD in place of a character that cannot be stored.
    public var altered: [String: Int] = [:]
    /// The fields that the list should have, but no row of the page has.
    package var absent: Set<String> = []
    /// The members of rows that are not read, in the order in which they appear.
    public var unread: [String] = []
    /// For a list of what has changed: the rows that the source returned and its definition leaves out.
    package var leftOut: [Item] = []
    /// The number of rows that the source returned and its definition leaves out.
    package var leftOutCount = 0
    /// The place of other rows in an answer without the member that has those of the list; nil when there are none.
    package var otherRows: String?

    /// The source's own time when it answered (`Date`); nil when it did not report one.
    public var answeredAt: Timestamp?

    /// Creates a page that is not full and has no counts.
    public init(_ items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

/// What a source sent with an answer so that a later request can check whether it has changed (RFC 9110, section 8.8).
///
/// Stored unchanged: an entity tag with its quotes.
public struct Validator: Hashable, Sendable {
    /// The value of `ETag`, with its quotes and a `W/` if it is weak; nil when the answer had none.
    public var entityTag: String?
    /// The value of `Last-Modified`; nil when the answer had none.
    public var lastModified: String?
    /// What the answer depended on, for a source whose answers depend on more than the request: ``Source/identity``
    /// when it answered, for rows with the definition of their resource. The source sends an unconditional request when
    /// its own differs, and no age makes such an answer fresh enough.
    public var partition: String?

    /// Creates a validator; without arguments, an empty one, with which a request is unconditional.
    public init(entityTag: String? = nil, lastModified: String? = nil, partition: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.partition = partition
    }
}

extension Validator {
    /// Whether there is anything to send.
    package var isCondition: Bool { entityTag != nil || lastModified != nil }

    /// The same without anything that a request could send.
    package var withoutConditions: Validator { Validator(partition: partition) }

    /// Whether two answers may depend on the same.
    package func isSamePartition(as other: Validator?) -> Bool {
        guard let partition, let other = other?.partition else { return true }
        return partition == other
    }

    /// Whether the answer may be from the server of a source: the first word of its ``Source/identity``, without the
    /// path.
    func isOfServer(of identity: String?) -> Bool {
        func server(_ identity: String) -> ArraySlice<Substring> {
            identity.prefix { $0 != " " }.split(separator: "/").prefix(2)
        }
        return partition.flatMap { own in identity.map { server($0) == server(own) } } ?? true
    }

    /// Whether the answer may depend on no more than what a source depends on now.
    package func isValid(for identity: String) -> Bool { partition == nil || partition == identity }

    /// Why rows of the answer may not be what a source has now; nil if it only lacks the credentials that were sent, if
    /// only the definition has changed, the last word, or if the identity is not known.
    package func doubt(for identity: String) -> String? {
        guard let partition, partition != identity, !identity.isEmpty else { return nil }
        let then = partition.split(separator: " ").dropLast(), now = identity.split(separator: " ").dropLast()
        if then == now { return nil }
        if now.count > 1, now[1] == Self.withoutCredentials, then.first == now[0], then.count >= now.count,
            then.suffix(now.count - 2) == now.suffix(now.count - 2)
        {
            return nil
        }
        return "these rows were fetched from another address or with another token"
    }

    /// The second word of the ``Source/identity`` of a source without credentials.
    package static let withoutCredentials = "anonymous"
}

/// A source's answer to a conditional request.
public enum Fetched<Value: Sendable>: Sendable {
    /// The answer that was stored with the validator is still current.
    case unchanged
    /// A new answer, and its validator.
    case changed(Value, Validator)
}
