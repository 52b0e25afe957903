import PatchbayCore
import PatchbayDomain

/// What shows that a list without rows, or with members that no row has, may be a mistake of its definition.
struct Emptiness {
    /// The number of rows that the definition leaves out.
    private var leftOut = 0
    /// The place of other rows in an answer that has none at the place of the list's.
    private var otherRows: String?
    private var unfound = UnfoundMembers()

    init() {}

    init(_ fetched: Fetched<ItemPage>) {
        guard case .changed(let page, _) = fetched else { return }
        (leftOut, otherRows, unfound) = (page.leftOutCount, page.otherRows, UnfoundMembers(page))
    }

    mutating func add(_ other: Emptiness) {
        leftOut += other.leftOut
        otherRows = otherRows ?? other.otherRows
        unfound.add(other.unfound)
    }

    /// The notes on a run that was fetched to its end. The list of a single row, or of what has changed, may well have
    /// no rows.
    func notes(on run: StoredListRun, of resource: Resource) -> [String] {
        let declaration = resource.declaration, noun = resource.name.withHyphens
        guard run.rows == 0 else { return unfound.notes(on: run, of: resource) }
        guard run.since == nil, declaration.parent == nil else { return [] }
        if leftOut > 0 {
            return ["\(noun).where keeps none of the \(Count.words(leftOut, "row")) that the source returned"]
        }
        return otherRows.map {
            [
                "the answer has nothing at \(noun).rows = \(declaration.rows)?, but rows at \"\($0)\"; correct the "
                    + "path if these are the \(resource.plural)"
            ]
        } ?? []
    }
}

/// The members that a definition reads and that no answer of a list has. Rows may lack a member, so this is not a
/// fault, but the path may be a mistake of the definition, which leaves the field null in every row.
struct UnfoundMembers {
    /// A member that fewer rows lack is not noted.
    private static let rowsMin = 20

    /// The number of pages that were fetched, and that of their rows.
    private var pages: Int64 = 0
    private var rows = 0
    /// The names of the fields that no row has; nil before the first row.
    private var fields: Set<String>?

    init() {}

    init(_ page: ItemPage) {
        (pages, rows) = (1, page.items.count)
        guard rows > 0 else { return }
        // A definition may derive the value from other members.
        fields = page.absent.filter { name in page.items.allSatisfy { $0[name] == nil } }
    }

    mutating func add(_ other: UnfoundMembers) {
        pages += other.pages
        rows += other.rows
        if let others = other.fields { fields = fields?.intersection(others) ?? others }
    }

    /// The notes on a run that was fetched to its end; none unless it has returned the whole list.
    func notes(on run: StoredListRun, of resource: Resource) -> [String] {
        guard run.since == nil, run.pages == pages, rows >= Self.rowsMin else { return [] }
        let noun = resource.name.withHyphens
        return resource.fields.compactMap { field -> String? in
            let declaration = field.declaration
            guard fields?.contains(field.name) == true, !declaration.isLenient,
                case .path(let path) = declaration.origin
            else { return nil }
            return
                "\(noun).field.\(field.name.withHyphens): none of the \(rows) rows has the member \"\(path)\"; "
                + "correct the path, or write \"\(declaration.type.rawValue)?\" if rows may lack it"
        }
    }
}
