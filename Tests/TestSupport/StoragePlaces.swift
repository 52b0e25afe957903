import Foundation

/// The locations of one test's storages: paths in its folder, and for PostgreSQL schemas that are dropped with this
/// value.
public final class StoragePlaces: Sendable {
    /// All built-in storages that this machine supports; postgres needs a server.
    public static let all = files + server + ["memory"]
    /// The durable ones.
    public static let durable = files + server
    /// The ones that several processes may use at once.
    public static let shared = ["sqlite", "lmdb"] + server
    /// The ones for tests of the command whose output is the same with each: the default one, or with
    /// PATCHBAY_LARGE_TESTS all that use files.
    public static let usual =
        ProcessInfo.processInfo.environment["PATCHBAY_LARGE_TESTS"] == nil ? ["sqlite"] : files
    /// The ones that use files.
    public static let files = ["sqlite", "lmdb", "flatfile"]

    private static let server = PostgreSQLServer.url == nil ? [] : ["postgres"]

    private let schemas = PostgreSQLSchemas()

    /// Creates a place in a new folder.
    public init() {}

    /// The options of a configuration for a storage at a path. A schema is named after the last part of the path, so
    /// that relative and absolute paths refer to the same one.
    public func options(_ storage: String, at path: String) -> [(key: String, value: String)] {
        switch storage {
        case "memory": []
        case "postgres":
            [
                ("storage.url", PostgreSQLServer.url ?? ""),
                ("storage.schema", schemas.name(for: String(path.split(separator: "/").last ?? ""))),
            ]
        default: [("storage.path", path)]
        }
    }

    /// The options with the storage's name, for a configuration in code.
    public func values(_ storage: String, at path: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: [("storage", storage)] + options(storage, at: path))
    }

    /// The options for the plugin itself, whose keys have no first word.
    public func settings(_ storage: String, at path: String) -> [String: String] {
        let pairs = options(storage, at: path).map { (String($0.key.dropFirst("storage.".count)), $0.value) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The options for the command line.
    public func flags(_ storage: String, at path: String) -> [String] {
        ["--storage", storage] + options(storage, at: path).flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    /// The options for `patchbay selftest` to use the storage named `store.STORAGE` in a folder.
    public func selftest(_ storage: String, in folder: String) -> [String] {
        guard storage == "postgres" else { return ["--store", "\(storage):\(folder)"] }
        let options = options(storage, at: "\(folder)/store.\(storage)")
        return [
            "--store", "\(storage):\(options[0].value)", "--set", "\(options[1].key)=\(options[1].value)",
        ]
    }

    /// A side of `patchbay storage copy`: on the command line, or in a configuration file next to the path.
    public func side(
        _ storage: String, at path: String, _ write: (_ path: String, _ text: String) throws -> Void
    )
        rethrows -> String
    {
        guard storage == "postgres" else { return "\(storage):\(path)" }
        let lines = options(storage, at: path).map { "\($0.key) = \"\($0.value)\"\n" }
        try write("\(path).conf", "storage = \(storage)\n" + lines.joined())
        return "\(path).conf"
    }
}
