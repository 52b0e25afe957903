import PatchbayCore
import PatchbaySystem
import Synchronization

/// A file with the pages of all indexes, which can be rebuilt from the data.
///
/// Pages are only appended and never change, so snapshots and other processes can read older ones. When most pages are
/// unused, the others are copied to a new file (``PageWriter``).
final class IndexFile: Sendable {
    /// The folder of the index files.
    let folder: Folder
    let number: UInt64
    let file: DiskFile
    /// Whether pages may be appended.
    let isWritable: Bool
    /// Whether all pages are read and checked when the file is opened.
    let isSmall: Bool
    private let nextPage: Atomic<Int>
    private let damage = Atomic<Bool>(false)

    /// Creates a file, whose number is greater than those of the others in the folder.
    init(in folder: Folder) throws {
        self.folder = folder
        number = try (folder.names().compactMap(FileName.pagesNumber).max() ?? 0) &+ 1
        file = try folder.open(FileName.pages(number), .creating)
        isWritable = true
        isSmall = true
        nextPage = Atomic(0)
    }

    /// Opens a file; nil when it is missing or shorter than the checkpoint states.
    ///
    /// Pages after those of the checkpoint are never used, and new ones are written after them.
    ///
    /// - Parameter smallBytesMax: the greatest size of a small file.
    init?(_ checkpoint: Checkpoint, in folder: Folder, _ access: OpenFile.Access, smallBytesMax: Int) throws {
        self.folder = folder
        number = checkpoint.file
        let name = FileName.pages(number)
        guard try folder.kind(name) == .file else { return nil }
        file = try folder.open(name, access)
        isWritable = access != .reading
        let byteCount = file.openedBytes
        isSmall = byteCount <= smallBytesMax
        nextPage = Atomic((byteCount + Page.byteCount - 1) / Page.byteCount)
        if byteCount / Page.byteCount < checkpoint.pageCount { return nil }
    }

    var path: String { file.path }

    /// Whether a page was found damaged, so that the indexes must be rebuilt.
    var isDamaged: Bool { damage.load(ordering: .relaxed) }

    /// The number of pages, used and unused.
    var pageCount: Int { nextPage.load(ordering: .relaxed) }

    /// Returns the number of a new page.
    func reserve() -> Int { nextPage.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Reads and checks a page; nil when it is damaged or missing.
    func read(_ reference: PageReference, asBranch isBranch: Bool) throws -> Page? {
        guard let page = try Page(file, at: reference.number * Page.byteCount) else { return nil }
        return page.checksum == reference.checksum && page.isSound(asBranch: isBranch) ? page : nil
    }

    /// Reads and checks a page. If it is damaged, the next opening for writing rebuilds the indexes.
    ///
    /// - Parameter level: the number of levels below it, whose pages are not read.
    func page(_ reference: PageReference, level: Int = 0) throws -> Page {
        if let page = try readOnDemand(reference, level) { return page }
        damage.store(true, ordering: .relaxed)
        // If the checkpoint cannot be removed, the next opening finds and reports the same damage.
        if isWritable { try? folder.remove(FileName.checkpoint) }
        throw PatchbayError(
            .corrupted,
            "the index file \"\(path)\" is damaged; open the storage again for writing, "
                + "which rebuilds the index from the data",
            [.file(path), .byte(reference.number * Page.byteCount), .index("file \(number)")])
    }

    /// Reads and checks a page, and the pages below it when they are needed; nil when it is damaged.
    private func readOnDemand(_ reference: PageReference, _ level: Int) throws -> Page? {
        guard let page = try read(reference, asBranch: level > 0) else { return nil }
        if level == 0 { return page }
        guard page.references.allSatisfy(isPossible) else { return nil }
        page.children = page.references.map { Child($0, level: level - 1) }
        return page
    }

    private func isPossible(_ reference: PageReference) -> Bool { (0..<pageCount).contains(reference.number) }

    /// Reads and checks a tree.
    ///
    /// - Parameter isWhole: whether all pages are read and checked now, or each one when it is needed.
    /// - Returns: nil when a page is damaged.
    func load(_ root: PageReference, level: Int, whole isWhole: Bool) throws -> Child? {
        // Bounds the work on a file in which pages lead to each other in circles.
        var left = pageCount
        if isWhole { return try load(root, level, &left) }
        guard isPossible(root) else { return nil }
        return level == 0
            ? Child(root, level: 0) : try readOnDemand(root, level).map { Child(page: $0, reference: root) }
    }

    private func load(_ reference: PageReference, _ level: Int, _ left: inout Int) throws -> Child? {
        left -= 1
        guard left >= 0, isPossible(reference), let page = try read(reference, asBranch: level > 0) else {
            return nil
        }
        guard level > 0 else { return Child(page: page, reference: reference) }
        page.children.reserveCapacity(page.count)
        for below in page.references {
            guard let child = try load(below, level - 1, &left) else { return nil }
            page.children.append(child)
        }
        return Child(page: page, reference: reference)
    }
}
