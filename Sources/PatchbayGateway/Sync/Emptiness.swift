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
