/// How a storage is opened.
public struct StorageOpening: Sendable {
    /// The collections to store; nil for those that are stored, under their stored version.
    public var schema: Schema?
    /// The permitted changes to the files.
    public var access: StorageAccess
    /// Called during a slow open, such as a migration or an index build.
    public var progress: WorkProgress.Handler

    /// Creates an opening, which may create the storage by default.
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
    /// For plugins, which must open a storage on a full or read-only disk even with ``StorageAccess/writing``.
    ///
    /// - Parameters:
    ///   - failure: why it could not be opened for writing.
    ///   - open: opens it for reading. Receives the error that every write must throw.
    /// - Throws: `failure`, unless it is `permissionDenied` or `storageFull` and reading succeeds.
    package static func read<Opened>(
        after failure: any Error, _ open: (PatchbayError) throws -> Opened
    ) throws -> Opened {
        guard let reason = failure as? PatchbayError, [.permissionDenied, .storageFull].contains(reason.code)
        else { throw failure }
        // The reason why it cannot be written is more useful than why it cannot be read.
        do { return try open(reason) } catch { throw reason }
    }
}

/// The permitted changes to the files of a storage.
public enum StorageAccess: Sendable, CaseIterable {
    /// Reads stored rows. No file is created, migrated or written, so a storage on a full disk, on a read-only file
    /// system or without write permission can be opened. A write throws `permissionDenied`.
    case reading
    /// Reads and writes an existing storage. If its files cannot be written because the disk is full, the file system
    /// is read-only or permission is missing, it is opened for reading, and each write throws the reason.
    case writing
    /// Like ``writing``, and creates the storage when its path does not exist. Never replaces an existing file, not
    /// even an empty one.
    case creating
}
