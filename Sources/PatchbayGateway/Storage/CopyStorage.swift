public import PatchbayCore

/// Copies all rows of one storage into another of any kind: every collection in the source, whichever program declared
/// it.
///
/// The source is read in one transaction, so the copy is a consistent snapshot, and other programs may write to the
/// source meanwhile. The target is first filled without indexes, in the order of the primary keys, one batch per
/// transaction; then all indexes are built. A copy interrupted at any moment resumes when it is run again, or starts
/// again if the source has changed since.
///
///     let outcome = try await CopyStorage(from: "users.sqlite", try await old.openStorage()) {
///         try await new.openStorage()
///     }.run(isVerified: true)
///
/// `Gateway` does not open the target until the copy is finished.
public struct CopyStorage: Sendable {
    /// A copied collection.
    public struct Copied: Sendable {
        /// The collection as it is declared in the source.
        public var collection: CollectionSchema
        /// The number of rows that the target contains.
        public var rows: Int
        /// The digest, equal in source and target; nil when it was not requested.
        package var digest: ContentDigest?
    }

    /// The result of a copy.
    public struct Outcome: Sendable {
        /// Every collection of the source.
        public var collections: [Copied]
        /// Whether the target already was a finished copy of the same rows, so that no row was written.
        public var wasFinished: Bool
    }

    private let source: any Storage
    private let sourceName: String
    private let makeTarget: @Sendable () async throws -> any Storage
    /// Smaller in tests.
    var batchRowsMax = RowBatch.rowsMax

    /// - Parameters:
    ///   - sourceName: a name for the source, such as a path; must be the same to resume an interrupted copy.
    ///   - source: a storage that is not open yet. None of its rows is changed.
    ///   - makeTarget: makes the target, not open yet; called several times, each time after the previous one was
    ///     closed.
    public init(
        from sourceName: String, _ source: any Storage,
        to makeTarget: @escaping @Sendable () async throws -> any Storage
    ) {
        self.sourceName = sourceName
        self.source = source
        self.makeTarget = makeTarget
    }

    /// Copies, resumes a copy, or checks a finished one.
    ///
    /// Memory does not grow with the number of rows.
    /// - Throws: `conflict` when the target holds rows that are not a copy of this source, or when source or target
    ///   have changed since the copy was finished; `notFound` when there is no source; `unsupported` when the target is
    ///   not durable.
    public func run(
        isVerified: Bool = false, progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> Outcome {
        let held = try await openSource(progress)
        return try await source.closing {
            if let mark = try await CopyMark.read(source, held), mark.state != .finished {
                throw mark.refusal.adding([.note("source", sourceName)])
            }
            let schema = held.transferable
            let run = CopyRun(
                schema: schema, source: SourceReading(source, schema.collections), sourceName: sourceName,
                target: CopyTarget(schema, makeTarget, batchRowsMax, progress), isVerified: isVerified,
                progress: progress)
            return try await run.finish()
        }
    }

    /// Opens the source for writing, so that other processes know of its reader. A storage opened for reading may lose
    /// its snapshot when another process begins to write. If the storage allows only one writing process and there is
    /// one, opens it for reading.
    private func openSource(_ progress: @escaping WorkProgress.Handler) async throws -> Schema {
        do {
            return try await source.open(StorageOpening(nil, .writing, progress: progress))
        } catch let error as PatchbayError where error.code == .busy {
            return try await source.open(StorageOpening(nil, .reading, progress: progress))
        }
    }
}

/// One run of a copy.
private struct CopyRun {
    let schema: Schema
    let source: SourceReading
    let sourceName: String
    let target: CopyTarget
    let isVerified: Bool
    let progress: WorkProgress.Handler

    func finish() async throws -> CopyStorage.Outcome {
        let mark = try await target.mark()
        if let mark, mark.source != sourceName { throw belonging(mark) }
        if let mark, mark.state == .finished { return try await checked(mark) }
        var contents = if let mark { try await resumed(mark) } else { nil as [CollectionContent]? }
        if contents == nil { contents = try await filled(isResuming: false) }
        return try await indexed(contents!)
    }

    private func belonging(_ mark: CopyMark) -> PatchbayError {
        let state = mark.state == .finished ? "a copy" : "an unfinished copy"
        return PatchbayError(
            .conflict,
            "the target is \(state) of \(mark.source), not of \(sourceName); copy to another path, or remove the "
                + "target")
    }

    /// The contents of the source, now all in the target; nil when the target contains rows from before a change of the
    /// source.
    private func resumed(_ mark: CopyMark) async throws -> [CollectionContent]? {
        if mark.state == .copying { return try await filled(isResuming: true) }
        let contents = try await sourceContents()
        return contents == mark.contents ? contents : nil
    }

    private func sourceContents() async throws -> [CollectionContent] {
        let digests = try await source.digests(progress)
        return zip(schema.collections, digests).map { CollectionContent($0, $1) }
    }

    /// Copies the remaining rows; nil when rows copied earlier differ from the source's.
    private func filled(isResuming: Bool) async throws -> [CollectionContent]? {
        try await target.withoutIndexes { target in
            var mark = CopyMark(source: sourceName, state: .copying)
            if !isResuming { try await self.target.begin(mark, target) }
            let ends = isResuming ? try await self.target.ends(target) : [:]
            let digests = try await self.target.fill(target, from: source, after: ends)
            mark.contents = zip(schema.collections, digests).map { CollectionContent($0, $1) }
            if isResuming, try await self.target.contents(target) != mark.contents { return nil }
            mark.state = .indexing
            try await mark.save(target)
            return mark.contents
        }
    }

    /// Builds the indexes, compares the contents, and marks the copy as finished.
    private func indexed(_ contents: [CollectionContent]) async throws -> CopyStorage.Outcome {
        try await target.whole { target, held in
            let copied = try await self.target.compare(
                target, contents, held.transferable.collections, isVerified)
            try await CopyMark(source: sourceName, state: .finished, contents: contents).save(target)
            return CopyStorage.Outcome(collections: copied, wasFinished: false)
        }
    }

    /// Checks that a finished copy still has the contents of the source.
    private func checked(_ mark: CopyMark) async throws -> CopyStorage.Outcome {
        guard try await sourceContents() == mark.contents else {
            throw PatchbayError(
                .conflict,
                "the target is a finished copy, but the source has changed since; to copy again, remove the "
                    + "target or copy to another path")
        }
        return try await target.asStored { target, held in
            let copied = try await self.target.compare(
                target, mark.contents, held.transferable.collections, isVerified)
            return CopyStorage.Outcome(collections: copied, wasFinished: true)
        }
    }
}

extension Storage {
    /// Runs `body`, then closes the storage even if it throws.
    func closing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            try await close()
            return result
        } catch {
            // The first error is the one to report.
            try? await close()
            throw error
        }
    }
}
