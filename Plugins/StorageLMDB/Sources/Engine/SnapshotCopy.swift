import CLMDB
import PatchbayCore
import PatchbaySystem

/// Writes the entries of a snapshot to a new environment, in order, so that its pages are full.
///
/// The snapshot is read with checked code, as everywhere, so that damage causes an error; entries are copied unchanged,
/// with their seals. LMDB writes the copy, in transactions of limited size.
struct SnapshotCopy {
    private static let entriesBetweenProgress = 4096

    let snapshot: Snapshot
    /// The task that progress shows.
    let task: String

    /// Creates data.mdb in a folder; it is synced when this returns.
    ///
    /// - Throws: `corrupted` when a page is damaged, `storageFull`, `CancellationError`.
    func write(to folder: String, _ progress: WorkProgress.Handler) throws {
        do {
            let number = try copyTrees(to: folder, progress)
            try renumber(Folder(path: folder).data, max(snapshot.number, number))
        } catch let error as PatchbayError where error.code == .storageFull {
            // The folder is not one that the user knows.
            throw PatchbayError(.storageFull, "the disk is full while \(task); free some space")
        }
    }

    /// Returns the number of the copy's newest commit.
    private func copyTrees(to folder: String, _ progress: WorkProgress.Handler) throws -> UInt64 {
        let bytesMax = 2 * Int(clamping: snapshot.pageCount) * snapshot.pageBytes + (16 << 20)
        let environment = try Environment(
            path: folder, flags: MDB_NOLOCK | MDB_NOSYNC, bytesMax: bytesMax, busyTimeoutMilliseconds: 0)
        defer { environment.close() }
        let writing = WriteSeries(environment, after: 0)
        defer { writing.abort() }
        let trees = try snapshot.trees(), total = trees.reduce(0) { $0 + $1.root.entryCount }
        var done = 0
        for (source, root) in trees {
            let tree = try writing.current().open(
                source.name, hasIntegerKeys: source.hasIntegerKeys, isCreating: true)
            try unsafe snapshot.forEach(in: source, root) { entry in
                guard try unsafe writing.append(entry, in: tree) else {
                    throw unsafe snapshot.damaged(source, entry.key, "its key is out of order")
                }
                done += 1
                guard done % SnapshotCopy.entriesBetweenProgress == 0 else { return }
                try Task.checkCancellation()
                progress(WorkProgress(task, done: min(done, total), of: total))
            }
        }
        try writing.commit()
        try environment.sync()
        progress(WorkProgress(task, done: total, of: total))
        return writing.number
    }

    /// Gives the newest commit of a file the number of the snapshot, and writes the same as the commit before it, which
    /// LMDB expects in the other header. A copy of a few large commits may have a greater number.
    private func renumber(_ file: String, _ number: UInt64) throws {
        let header = try Header(file: file)
        let opened = try PatchbayError.reporting("cannot open \"\(file)\"") { () throws(SystemError) in
            try OpenFile(file, .readingAndWriting)
        }
        let last = Int(header.transaction & 1) * header.pageBytes
        var bytes = try Header.read(opened.descriptor, at: last, file)
        for number in [number, number &- 1] {
            unsafe bytes.withUnsafeMutableBytes {
                unsafe $0.storeBytes(of: number & 1, as: UInt64.self)
                unsafe $0.storeBytes(of: number, toByteOffset: Header.transactionOffset, as: UInt64.self)
            }
            let offset = Int(number & 1) * header.pageBytes
            try PatchbayError.reporting("cannot write \"\(file)\"") { () throws(SystemError) in
                try unsafe opened.write(bytes.span.bytes, at: offset)
            }
        }
        try PatchbayError.reporting("cannot sync \"\(file)\"") { () throws(SystemError) in
            try opened.sync()
        }
    }
}
