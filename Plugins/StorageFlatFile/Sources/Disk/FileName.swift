/// The names in a storage's folder.
enum FileName {
    /// Locked by the process that writes.
    static let lock = "lock"
    /// Present while a storage is being created. While it exists and `schema.json` does not, no row was ever written.
    static let creating = "creating"
    static let schema = "schema.json"
    /// The folder of files that can be rebuilt from the data.
    static let index = "index"
    /// In ``index``.
    static let checkpoint = "checkpoint.json"
    /// The end of the name of a file or folder that is not complete yet.
    static let unfinished = ".new"

    static func data(_ collectionName: String) -> String { collectionName + ".jsonl" }

    /// In ``index``.
    static func run(_ number: UInt64) -> String { "\(number).run" }

    /// The number in the name of a run; nil for the name of another file.
    static func runNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".run") ? UInt64(name.dropLast(4)) : nil
    }

    /// Whether a storage makes files of this name in its folder.
    static func isOwn(_ name: String) -> Bool {
        name == lock || name == creating || name == schema || name.hasSuffix(".jsonl")
            || name.hasSuffix(".json" + unfinished) || name.hasSuffix(".jsonl" + unfinished)
    }

    /// Whether a storage makes files of this name in its index folder.
    static func isOwnIndex(_ name: String) -> Bool {
        name == checkpoint || name == checkpoint + unfinished || runNumber(name) != nil
    }
}
