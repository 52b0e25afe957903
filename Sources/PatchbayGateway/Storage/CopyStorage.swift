public import PatchbayCore

/// Copies all rows of one storage into another, of whatever kind: every collection that the source holds, whichever
/// program declared it.
///
/// The source is read in one transaction, so the copy is of one moment, and other programs may write to the source
/// meanwhile. The target is filled without indexes, in the order of the primary keys, a batch a transaction; then it
/// builds its indexes at once. A copy that was interrupted, at whatever moment, resumes when it is run again. When the
/// source has changed in between, it starts again.
///
///     let outcome = try await CopyStorage(from: "users.sqlite", source) { LMDBStorage(path: path) }
///         .run(isVerified: true)
///
/// Until the copy is finished `Gateway` does not open the target.
public struct CopyStorage: Sendable {
    /// A collection that was copied.
    public struct Copied: Sendable {
        public var collection: CollectionSchema
        public var rows: Int
        /// The digest that source and target have; nil when it was not asked for.
        public var digest: ContentDigest?
    }

    /// What a copy came to.
    public struct Outcome: Sendable {
        /// Every collection of the source.
        public var collections: [Copied]
        /// Whether the target was a finished copy of the same rows already, so that no row was written.
        public var wasFinished: Bool
    }

    private let source: any Storage
    private let sourceName: String
    private let makeTarget: @Sendable () async throws -> any Storage
    /// Fewer in tests.
    var batchRowsMax = RowBatch.rowsMax

    /// - Parameters:
    ///   - sourceName: what an interrupted copy must name again to resume, such as a path.
    ///   - source: not opened yet. No row of it is written.
    ///   - makeTarget: makes the target, not opened yet; called several times, when the one before was closed.
    public init(
        from sourceName: String, _ source: any Storage,
        to makeTarget: @escaping @Sendable () async throws -> any Storage
    ) {
        self.sourceName = sourceName
        self.source = source
        self.makeTarget = makeTarget
    }

    /// Copies, resumes copying, or checks a finished copy.
    ///
    /// Memory does not grow with the number of rows.
    /// - Throws: `conflict` when the target holds rows that are not a copy of this source, or when source or target
    ///   have changed since the copy was finished; `notFound` when there is no source; `unsupported` when the target
    ///   forgets when it is closed.
    public func run(
        isVerified: Bool = false, progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> Outcome {
        let held = try await openSource(progress)
        return try await source.closing {
            if let mark = try await CopyMark.read(source, held), mark.state != .finished {
                throw mark.refusal.adding(["source": sourceName])
            }
            let schema = held.withoutCopyMark
            let run = CopyRun(
                schema: schema, source: SourceReading(source, schema.collections), sourceName: sourceName,
                target: CopyTarget(schema, makeTarget, batchRowsMax, progress), isVerified: isVerified,
                progress: progress)
            return try await run.finish()
        }
    }

    /// Opens the source so that other processes know of its reader: one that is only read may lose its snapshot when
    /// another process begins to write. A storage that lets only one process write is read beside that one.
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

    /// What the source holds, all of which the target has now; nil when the target has rows from before a change of
    /// the source.
    private func resumed(_ mark: CopyMark) async throws -> [CollectionContent]? {
        if mark.state == .copying { return try await filled(isResuming: true) }
        let contents = try await sourceContents()
        return contents == mark.contents ? contents : nil
    }

    private func sourceContents() async throws -> [CollectionContent] {
        let digests = try await source.digests(progress)
        return zip(schema.collections, digests).map { CollectionContent($0, $1) }
    }

    /// Copies rows to the end; nil when those that were there before are not the source's.
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

    /// Builds the indexes, compares, and notes that the copy is finished.
    private func indexed(_ contents: [CollectionContent]) async throws -> CopyStorage.Outcome {
        try await target.whole { target, held in
            let copied = try await self.target.compare(
                target, contents, held.withoutCopyMark.collections, isVerified)
            try await CopyMark(source: sourceName, state: .finished, contents: contents).save(target)
            return CopyStorage.Outcome(collections: copied, wasFinished: false)
        }
    }

    /// Checks that a finished copy still holds what the source does.
    private func checked(_ mark: CopyMark) async throws -> CopyStorage.Outcome {
        guard try await sourceContents() == mark.contents else {
            throw PatchbayError(
                .conflict,
                "the target is a finished copy, but the source has changed since; to copy again remove the target, or "
                    + "copy to another path")
        }
        return try await target.asStored { target, held in
            let copied = try await self.target.compare(
                target, mark.contents, held.withoutCopyMark.collections, isVerified)
            return CopyStorage.Outcome(collections: copied, wasFinished: true)
        }
    }
}

extension Storage {
    /// Runs `body`, then closes the storage whatever happens.
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
