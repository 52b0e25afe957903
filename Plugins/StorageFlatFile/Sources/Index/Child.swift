import Synchronization

/// The place and the checksum of a page in an index file.
struct PageReference: Sendable, Equatable {
    var number: Int
    var checksum: UInt32
}

/// A page that an index or a branch leads to.
struct Child: Sendable {
    /// Nil while the page is only in the file, and for a branch that is read on demand.
    var page: Page?
    /// Nil when the page was changed since it was written to the file.
    var reference: PageReference?
    /// Set for a branch that is read on demand.
    private(set) var branch: BranchOnDemand?

    init(page: Page?, reference: PageReference?) {
        self.page = page
        self.reference = reference
    }

    /// A page of the file that is read on demand.
    init(_ reference: PageReference, level: Int) {
        self.reference = reference
        branch = level > 0 ? BranchOnDemand(level) : nil
    }

    /// The page, unless it is a leaf that is only in the file.
    func pageInMemory(_ file: IndexFile?) throws -> Page? {
        try page ?? branch?.page(reference!, in: file!)
    }

    /// The number of pages of the tree below, including this one.
    func pageCount(in file: IndexFile?) throws -> Int {
        try pageInMemory(file)?.children.reduce(1) { try $0 + $1.pageCount(in: file) } ?? 1
    }

    /// The number of levels below; 0 for a leaf.
    var level: Int { branch?.level ?? page?.children.first.map { $0.level + 1 } ?? 0 }

    /// Returns the page, copied or read if it must not be changed itself because it is in a file or a snapshot.
    mutating func own(_ file: IndexFile?) throws -> Page {
        if reference == nil, isKnownUniquelyReferenced(&page) { return page! }
        let own = try pageInMemory(file).map { Page($0) } ?? file!.page(reference!)
        self = Child(page: own, reference: nil)
        return own
    }

    /// Sets the place that a key leads to, replacing an earlier one.
    ///
    /// - Parameter isLast: whether the page is the last one of its level.
    /// - Returns: a page to insert after this one when this one was full.
    mutating func set(
        _ key: UnsafeRawBufferPointer, _ place: Place, _ file: IndexFile?, isLast: Bool = true
    ) throws -> Page? {
        let page = try own(file)
        if page.isLeaf {
            let (slot, isEqual) = unsafe page.position(of: key, isNew: true)
            guard isEqual else { return unsafe page.insert(key, place, at: slot, isLast: isLast) }
            page.setPlace(place, at: slot)
            return nil
        }
        let index = unsafe page.childIndex(of: key, isNew: true)
        let isLast = isLast && index == page.children.count - 1
        let upper = try unsafe page.children[index].set(key, place, file, isLast: isLast)
        return upper.flatMap { page.insert($0, at: index + 1, isLast: isLast) }
    }

    /// Removes a key, and the pages that are then empty.
    ///
    /// - Returns: whether this page is empty.
    mutating func remove(_ key: UnsafeRawBufferPointer, _ file: IndexFile?) throws -> Bool {
        let page = try own(file)
        if page.isLeaf {
            let (slot, isEqual) = unsafe page.position(of: key)
            if isEqual { page.remove(at: slot) }
        } else {
            let index = unsafe page.childIndex(of: key)
            if try unsafe page.children[index].remove(key, file) { page.remove(at: index) }
        }
        return page.count == 0
    }

    /// Writes the pages that are not in the writer's file yet, and returns the tree with all its pages in that file.
    ///
    /// - Parameters:
    ///   - source: the file that the tree's pages are in.
    ///   - keepsLeaves: whether leaves also stay in memory.
    func written(
        by writer: PageWriter, from source: IndexFile?, keepingLeaves keepsLeaves: Bool
    ) throws -> Child {
        // Nothing below it has changed, and no leaf below it is in memory.
        if branch != nil, !writer.isCopying { return self }
        guard let page = try pageInMemory(source), !page.isLeaf else {
            return Child(page: keepsLeaves ? page : nil, reference: try writer.place(self, from: source))
        }
        let known = writer.isCopying ? nil : reference
        if known != nil, keepsLeaves { return self }
        let copy = Page(page)
        for slot in copy.children.indices {
            let child = try copy.children[slot].written(by: writer, from: source, keepingLeaves: keepsLeaves)
            copy.children[slot] = child
            copy.setPlace(Place(child.reference!), at: slot)
        }
        return Child(page: copy, reference: try known ?? writer.append(copy))
    }
}

/// A branch that is read from the file when it is first needed, and stays in memory then.
final class BranchOnDemand: Sendable {
    let level: Int
    private let loaded = AtomicLazyReference<Page>()

    init(_ level: Int) { self.level = level }

    func page(_ reference: PageReference, in file: IndexFile) throws -> Page {
        if let page = loaded.load() { return page }
        return loaded.storeIfNil(try file.page(reference, level: level))
    }
}

extension Page {
    /// Inserts a page into a branch, as ``insert(_:_:_:at:isLast:)`` does.
    func insert(_ page: Page, at slot: Int, isLast: Bool) -> Page? {
        let child = Child(page: page, reference: nil)
        return unsafe insert(page.key(0), Place(offset: 0, length: 0), child, at: slot, isLast: isLast)
    }
}

extension Place {
    /// The place in a branch of the entry for a page of the file.
    init(_ reference: PageReference) {
        self.init(offset: reference.number, length: Int(reference.checksum))
    }
}

extension PageReference {
    /// The page that an entry of a branch leads to.
    init(_ place: Place) {
        self.init(number: place.offset, checksum: UInt32(truncatingIfNeeded: place.length))
    }
}
