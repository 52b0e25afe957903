/// What a storage is opened for.
public struct StorageOpening: Sendable {
    /// The collections that the storage is to keep; nil takes those that are stored, under their stored version.
    public var schema: Schema?
    public var access: StorageAccess
    /// Called during a slow open, such as a migration or an index build.
    public var progress: WorkProgress.Handler

    public init(
        _ schema: Schema?, _ access: StorageAccess = .creating,
        progress: @escaping WorkProgress.Handler = { _ in }
    ) {
        self.schema = schema
        self.access = access
        self.progress = progress
    }

    /// Opens a storage for reading after it could not be opened for writing.
    ///
    /// For plugins, which promise under ``StorageAccess/writing`` that a storage on a full or read-only disk opens.
    ///
    /// - Parameters:
    ///   - failure: why it could not be opened for writing.
    ///   - open: opens it for reading. Receives the reason that every write is to throw.
    /// - Throws: `failure`, unless it is `permissionDenied` or `storageFull` and reading succeeds.
    public static func read<Opened>(
        after failure: any Error, _ open: (PatchbayError) throws -> Opened
    ) throws -> Opened {
        guard let reason = failure as? PatchbayError, [.permissionDenied, .storageFull].contains(reason.code)
        else { throw failure }
        // Why it cannot be written says more than why it cannot be read either.
        do { return try open(reason) } catch { throw reason }
    }
}

/// What may happen to the files of a storage that is opened.
public enum StorageAccess: Sendable, CaseIterable {
    /// Stored rows are read. No file is created, migrated or written, so a storage on a full disk, on a read-only file
    /// system or without write permission opens. A write throws `permissionDenied`.
    case reading
    /// Reads and writes a storage that exists. When its files cannot be written, because the disk is full, the file
    /// system read-only or permission missing, it opens for reading all the same, and each write throws the reason.
    case writing
    /// As ``writing``, and creates the storage when nothing is at its path. Never replaces a file that exists, an empty
    /// one included.
    case creating
}
