/// Appends the pages of trees to an index file: those that were changed or, to copy an index file, all of them.
///
/// A copy can be made of a snapshot and then of later ones, of which only the leaves that it has not seen are copied.
final class PageWriter: @unchecked Sendable {
    // Sendable: only one thread at a time uses it.
    private static let chunkBytes = 64 * Page.byteCount

    let pages: IndexFile
    /// Whether the trees come from another file.
    let isCopying: Bool
    private let buffer = ByteBuffer(capacity: Page.byteCount)
    /// The number of the first page in the buffer.
    private var first = 0
    /// The places in the new file, by the numbers of the leaves in the old one.
    private var copied: [Int: PageReference] = [:]

    init(_ pages: IndexFile, copying isCopying: Bool = false) {
        self.pages = pages
        self.isCopying = isCopying
    }

    func append(_ page: Page) throws -> PageReference {
        let number = pages.reserve()
        // A rewrite appends its pages at the same time.
        if number != first + buffer.count / Page.byteCount || buffer.count >= PageWriter.chunkBytes {
            try writeOut()
            first = number
        }
        page.append(to: buffer)
        return PageReference(number: number, checksum: page.checksum)
    }

    /// The place of a leaf in the file, to which it is appended if necessary.
    ///
    /// - Parameter source: the file that the leaf may be in.
    func place(_ leaf: Child, from source: IndexFile?) throws -> PageReference {
        guard let reference = leaf.reference else { return try append(leaf.page!) }
        guard isCopying else { return reference }
        try Task.checkCancellation()
        if let place = copied[reference.number] { return place }
        let place = try append(leaf.page ?? source!.page(reference))
        copied[reference.number] = place
        return place
    }

    /// Writes the pages that are still in memory.
    func writeOut() throws {
        if buffer.count > 0 {
            try buffer.withBytes { try pages.file.write($0, at: first * Page.byteCount) }
        }
        buffer.count = 0
    }
}
