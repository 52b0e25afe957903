/// The stamps of a folder's files at one moment, which show whether another process has changed them.
struct FileStamps: Equatable, Sendable {
    var schema: FileStamp?
    var checkpoint: FileStamp?
    /// Of the data files, in the order of the collections.
    var logs: [FileStamp?]

    init(_ folder: Folder, _ collectionNames: [String]) throws {
        schema = try folder.stamp(FileName.schema)
        checkpoint = try folder.stamp("\(FileName.index)/\(FileName.checkpoint)")
        logs = try collectionNames.map { try folder.stamp(FileName.data($0)) }
    }

    /// Whether no file was replaced by another.
    func isSameFiles(as other: FileStamps) -> Bool {
        schema == other.schema && checkpoint == other.checkpoint
            && logs.map { $0?.number } == other.logs.map { $0?.number }
    }

    /// Whether the rows are the same, wherever their index entries are.
    func isSameData(as other: FileStamps) -> Bool { schema == other.schema && logs == other.logs }
}
