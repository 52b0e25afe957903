/// The names in a storage's folder.
enum FileName {
    /// Locked by the process that writes.
    static let lock = "lock"
    static let schema = "schema.json"
    /// The folder of files that can be rebuilt from the data.
    static let index = "index"
    /// In ``index``.
    static let checkpoint = "checkpoint.json"
    /// The end of the name of a file or folder that is not complete yet.
    static let unfinished = ".new"

    static func data(_ collectionName: String) -> String { collectionName + ".jsonl" }

    /// In ``index``.
    static func pages(_ number: UInt64) -> String { "\(number).pages" }

    /// The number in the name of a file of pages; nil for the name of another file.
    static func pagesNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".pages") ? UInt64(name.dropLast(6)) : nil
    }

    /// Whether a storage makes files of this name in its folder, or in its folder ``index``.
    static func isOwn(_ name: String, inIndex isInIndex: Bool) -> Bool {
        if isInIndex {
            return [checkpoint, checkpoint + unfinished].contains(name) || pagesNumber(name) != nil
        }
        return [lock, schema].contains(name)
            || [".jsonl", ".json" + unfinished, ".jsonl" + unfinished].contains { name.hasSuffix($0) }
    }
}
