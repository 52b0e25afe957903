import PatchbayCore

/// The folder of the index files, all of which can be made anew from the data.
///
/// Only the writer uses it.
final class RunFolder {
    let path: String
    private let disk: Disk
    private let isSynced: Bool
    private var lastNumber: UInt64 = 0

    /// - Parameter isSynced: whether a run must be on the disk before it is used.
    init(_ path: String, isSynced: Bool, _ disk: Disk) throws {
        self.path = path
        self.disk = disk
        self.isSynced = isSynced
        if try disk.kind(of: path) == .nothing { try disk.makeFolder(path) }
        lastNumber = try disk.names(in: path).compactMap(RunFolder.number).max() ?? 0
    }

    /// The number in the name of a run.
    private static func number(_ name: String) -> UInt64? {
        name.hasSuffix(".run") ? UInt64(name.dropLast(4)) : nil
    }

    func path(ofRun number: UInt64) -> String { "\(path)/\(number).run" }

    /// Merges sorted lists, the newest first, into a new run; nil when nothing is left.
    func write(_ sources: [EntryCursor.Source], keepDeleted: Bool) throws -> Run? {
        lastNumber += 1
        let writer = try RunWriter(path(ofRun: lastNumber), number: lastNumber, disk)
        var cursor = try MergeCursor(sources, KeyRange(), .ascending)
        while let place = try keepDeleted ? cursor.nextEntry() : cursor.next() {
            try writer.append(cursor.key, place)
        }
        return try writer.finish(sync: isSynced)
    }

    /// Removes the runs that are not among those in use; readers that still hold one keep its map.
    func removeAll(but used: Set<UInt64>) throws {
        for name in try disk.names(in: path) {
            guard let number = RunFolder.number(name), !used.contains(number) else { continue }
            try disk.remove(path(ofRun: number))
        }
    }
}
