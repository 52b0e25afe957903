/// A copy of the pages in use, in another index file.
///
/// It copies a snapshot, then later ones, of which it copies only the pages that it has not seen.
final class IndexCopy: @unchecked Sendable {
    // Sendable: only one thread at a time uses it.
    let target: IndexFile
    private let stop: StopFlag?
    private var writer: PageWriter
    /// The places in the new file, by the numbers of the pages in the old one.
    private var copied: [Int: PageReference] = [:]

    init(to target: IndexFile, _ stop: StopFlag? = nil) {
        self.target = target
        self.stop = stop
        writer = PageWriter(target)
    }

    /// Returns a collection's state with all its pages in the new file.
    func copy(_ table: TableState) throws -> TableState {
        var table = table
        table.indexes = try table.indexes.map { index in
            var copy = try IndexState(target, index.root.map { try self.copy($0, index) })
            try writer.writeOut()
            try copy.flush()
            return copy
        }
        table.changeCount = 0
        return table
    }

    private func copy(_ child: Child, _ index: IndexState) throws -> Child {
        try stop?.check()
        if let page = child.page, !page.isLeaf {
            let copy = Page(page)
            copy.children = try page.children.map { try self.copy($0, index) }
            return Child(page: copy, reference: nil)
        }
        guard let reference = child.reference else { return child }
        if copied[reference.number] == nil {
            copied[reference.number] = try writer.append(index.page(child))
        }
        return Child(page: child.page, reference: copied[reference.number])
    }
}
