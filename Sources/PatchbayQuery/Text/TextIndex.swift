package import PatchbayCore
public import PatchbayDomain
public import PatchbayGateway
import PatchbaySystem

/// The words of stored rows, to find rows by them.
///
///     let index = try await TextIndex(gateways)
///     let found = try await index.find("crash \"data race\" -windows")
///     for row in found.rows { print(row.item.title, row.excerpt.text) }
///
/// The index is a file beside the storage, `NAME.find`, in the user's cache folder for a storage on a server, and in
/// memory for a storage in memory. Several processes share it. It follows the feed of changes: ``find(_:in:limit:)``
/// and ``update()`` add what is new. The storage does not depend on it, so the file may be removed at any
/// time, and is made again when it is needed.
public final class TextIndex: Sendable {
    let store: Store
    let fields: [TextFields]
    /// The gateways of the resources of ``fields``, which may be views of theirs.
    let gateways: [Gateway]
    let place: TextPlace
    let files: Pool<TextFile>

    /// How long to wait for another process that uses the index.
    private let patience: Duration
    private static let patienceUsual = Duration.seconds(10)
    /// The number of changes that are read from the storage at a time.
    private static let pageRows = 2_000

    /// Makes the index of gateways that share a storage; opens no file yet.
    ///
    /// - Throws: `unsupported` for gateways with different storages; the errors of the storage.
    public convenience init(_ gateways: [Gateway]) async throws {
        try await self.init(gateways, patience: Self.patienceUsual)
    }

    /// Makes the index of several sources.
    public convenience init(_ gateways: Gateways) async throws {
        try await self.init(gateways.all, patience: Self.patienceUsual)
    }

    /// The same for a test, which does not wait for long.
    convenience init(_ gateways: [Gateway], patience: Duration) async throws {
        let store = try gateways.first(ofOneStorageFor: "a search").store
        let fields = gateways.flatMap(\.resources).compactMap { TextFields($0) }
        self.init(fields, among: gateways, store, try await TextPlace(of: store.storage), patience: patience)
    }

    /// An index in memory of the same rows.
    convenience init(apartFrom other: TextIndex) {
        self.init(other.fields, among: other.gateways, other.store, .memory, patience: other.patience)
    }

    /// The index for views of the gateways' resources, which is one of its own, so that neither matches nor ranks
    /// depend on other texts.
    convenience init(_ views: [Resource], among gateways: [Gateway], _ store: Store) async throws {
        let fields = views.compactMap { TextFields($0) }
        let place = try await TextPlace(of: store.storage)
        self.init(fields, among: gateways, store, place.apart(for: fields), patience: Self.patienceUsual)
    }

    private init(
        _ fields: [TextFields], among gateways: [Gateway], _ store: Store, _ place: TextPlace,
        patience: Duration
    ) {
        self.store = store
        self.fields = fields
        self.gateways = gateways
        self.place = place
        self.patience = patience
        // The index in memory has one connection.
        let membersMax = if case .memory = place { 1 } else { Self.threadsMax }
        files = Pool(
            membersMax: membersMax,
            whenClosed: PatchbayError(.internalError, "the index is closed")
        ) { $0.isCurrent }
        files.open { try Self.open(place, patience) }
    }

    /// The resources whose rows can be found.
    public var resources: [Resource] { fields.map(\.resource) }

    /// Finds the rows whose texts have some words, ranked.
    ///
    /// - Parameters:
    ///   - text: words that must all occur, `"phrases"`, `beginnings*`, and `-words` that must not occur.
    ///   - resources: where to search; by default in all resources with texts.
    ///   - limit: the maximum number of rows, up to `Limits.pageRows`.
    /// - Throws: `invalidValue` for a text without words, `unsupported` for a resource without texts, and the errors of
    ///   the storage and of the index.
    public func find(
        _ text: String, in resources: [Resource]? = nil, limit: Int = 20
    ) async throws -> FoundRows {
        try await find(text, in: resources, limit: limit) { _ in }
    }

    /// The same with the progress of the work on the index.
    package func find(
        _ text: String, in resources: [Resource]? = nil, limit: Int,
        progress: @escaping WorkProgress.Handler
    ) async throws -> FoundRows {
        let search = try TextSearch(text, fields, in: resources, limit: min(limit, Limits.pageRows))
        return try await Self.sharedThreads.run {
            try await self.inSnapshot(progress) { try await self.answer(search, $0) }
        }
    }

    /// How often the index is updated while rows change, before a search does without the latest changes.
    static let roundsMax = 4

    /// Adds what is new to the index, which is made if it does not exist.
    public func update() async throws { try await update { _ in } }

    package func update(progress: @escaping WorkProgress.Handler) async throws {
        if fields.isEmpty { return }
        try await Self.sharedThreads.run {
            try await self.usingFile(progress) { file in
                if try await self.isCurrent(file) { return }
                try await self.update(file, progress)
            }
        }
    }

    /// Whether the index exists, so that it is worth to be kept up to date.
    package var exists: Bool {
        switch place {
        case .memory: false
        case .file(let path, _): FileStatus(at: path) != nil
        }
    }

    // MARK: The file

    /// Thrown for an index that must be made, or made again.
    struct Unusable: Error {
        /// Whether the file is to be replaced although it looks like an index.
        var isDamaged = false
    }

    private static func open(_ place: TextPlace, _ patience: Duration) throws -> TextFile {
        guard case .file(let path, _) = place else {
            let file = try TextFile(path: nil, patience: patience)
            try file.create()
            try file.finish()
            return file
        }
        guard let file = try TextFile.existing(at: path, patience: patience) else { throw Unusable() }
        do {
            guard try file.content() == .index else { throw Unusable() }
        } catch let failure as TextFailure where failure.isDamage {
            // Without its beginning, a file could be anything.
            throw TextFile.isMarked(path) ? Unusable(isDamaged: true) : TextFile.foreign(path)
        }
        try file.prepare()
        return file
    }

    /// Runs `body` with a connection. An index that is missing or damaged is made first.
    func usingFile<Result: Sendable>(
        _ progress: @escaping WorkProgress.Handler, _ body: @Sendable (TextFile) async throws -> Result
    ) async throws -> Result {
        var attempts = 0
        // An index that must be made before the next attempt.
        var unusable: Unusable?
        while true {
            do {
                if let isDamaged = unusable?.isDamaged {
                    try await make(isDamaged: isDamaged, progress)
                    unusable = nil
                }
                return try await withFile(body)
            } catch let found as Unusable where attempts < Self.roundsMax {
                unusable = found
            } catch let failure as TextFailure where failure.isMoved && attempts < Self.roundsMax {
                // The pool does not lend a file again that is not the one at its path.
            } catch is Unusable {
                throw TextFailure.moved.error(place.path)
            } catch is TextMismatch where attempts == 0 {
                unusable = Unusable(isDamaged: true)
            } catch let failure as TextFailure where failure.isDamage && attempts < 2 {
                unusable = Unusable(isDamaged: true)
            } catch let failure as TextFailure {
                throw failure.error(place.path)
            }
            attempts += 1
        }
    }

    /// Runs `body` with a connection to the index as it is.
    private func withFile<Result: Sendable>(
        _ body: @Sendable (TextFile) async throws -> Result
    ) async throws -> Result {
        let file = try await files.take()
        defer { files.release(file) }
        defer { file.rollBack() }
        do {
            return try await body(file)
        } catch is TextFailure where !file.isCurrent {
            // It says nothing about the index.
            throw TextFailure.moved
        }
    }

    /// Makes the index and puts it in its place.
    private func make(isDamaged: Bool, _ progress: @escaping WorkProgress.Handler) async throws {
        _ = files.removeIdle()
        guard case .file(let path, let mode) = place else { return }
        let damaged = isDamaged ? FileStatus(at: path)?.identity : nil
        let new = try await NewTextFile(for: path, mode: mode, patience: patience)
        do {
            // Another process may have made it meanwhile.
            if let present = FileStatus(at: path)?.identity, present != damaged,
                (try? Self.open(place, patience)) != nil
            {
                return new.discard()
            }
            do {
                let file = try TextFile(path: new.path, patience: patience)
                try file.create()
                try await fill(file, isNew: true, progress)
                try file.finish()
            }
            // Until the new file is there, no process may write to the old one.
            let old = try TextFile.existing(at: path, patience: patience)
            defer { old?.rollBack() }
            do throws(TextFailure) {
                try old?.run("BEGIN EXCLUSIVE")
            } catch {
                if !error.isDamage, old?.isCurrent == true { throw error }
            }
            try new.replace()
        } catch {
            new.discard()
            throw error
        }
    }

    // MARK: Updates

    /// Whether the index contains all changes.
    private func isCurrent(_ file: TextFile) async throws -> Bool {
        let known = try file.coverage()
        let incarnation = try await store.read { try $0.incarnation() }
        return fields.allSatisfy { covers($0, known, incarnation) }
    }

    func covers(
        _ fields: TextFields, _ known: [String: TextCoverage], _ incarnation: Incarnation?
    ) -> Bool {
        guard let coverage = known[fields.resource.collection.name] else { return false }
        return coverage.signature == fields.signature && coverage.isAt(incarnation)
    }

    func update(_ file: TextFile, _ progress: @escaping WorkProgress.Handler) async throws {
        try file.run("BEGIN IMMEDIATE")
        guard file.isCurrent else { throw Unusable() }
        try await fill(file, isNew: false, progress)
        try file.run("COMMIT")
    }

    /// Writes the changes since the index was written, in the transaction of the caller.
    func fill(_ file: TextFile, isNew: Bool, _ progress: @escaping WorkProgress.Handler) async throws {
        let known = try file.declare(fields)
        let groups = Dictionary(grouping: fields) { known[$0.resource.collection.name]?.position }
            .sorted { ($0.key?.description ?? "") < ($1.key?.description ?? "") }
        let last = try await store.read { try $0.incarnation()?.last ?? 0 }
        for (position, group) in groups {
            let numbers = Dictionary(
                uniqueKeysWithValues: group.map { fields in
                    (fields.resource, (fields, known[fields.resource.collection.name]!.number))
                })
            var writer = try TextWriter(file, numbers, onceUntil: isNew ? last : nil)
            var position = position, hasMore = true
            while hasMore {
                try Task.checkCancellation()
                let page = try await store.changes(
                    of: group.map(\.resource), since: position, limit: Self.pageRows)
                if page.restart != nil {
                    for (fields, number) in numbers.values { try file.clear(number, fields.table) }
                }
                for change in page.changes { try writer.apply(change) }
                (position, hasMore) = (page.position, page.hasMore)
                if hasMore { progress(WorkProgress("reading texts for the index", done: writer.count)) }
            }
            for (_, number) in numbers.values { try file.setPosition(position!.ofOneResource, of: number) }
        }
    }
}

extension TextPlace {
    var path: String? {
        switch self {
        case .memory: nil
        case .file(let path, _): path
        }
    }
}
