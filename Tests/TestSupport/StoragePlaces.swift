import Foundation

/// Where the storages of one test lie: paths in its folder, and for PostgreSQL schemas that go away with this value.
public final class StoragePlaces: Sendable {
    /// The storages that come with Patchbay, as far as this machine has what they need: postgres only with a server.
    public static let all = files + server + ["memory"]
    /// Those that remember.
    public static let durable = files + server
    /// Those that several processes may use at once.
    public static let shared = ["sqlite", "lmdb"] + server
    /// Those that a test of the command runs over, which says the same over each: the default one, or with
    /// PATCHBAY_LARGE_TESTS all that keep files.
    public static let usual =
        ProcessInfo.processInfo.environment["PATCHBAY_LARGE_TESTS"] == nil ? ["sqlite"] : files
    /// Those that keep files.
    public static let files = ["sqlite", "lmdb", "flatfile"]

    private static let server = PostgreSQLServer.url == nil ? [] : ["postgres"]

    private let schemas = PostgreSQLSchemas()

    public init() {}

    /// What a configuration says about a storage at a path. A schema is named after the last part of the path, so that
    /// relative and absolute ones mean the same.
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

    /// The same with the storage's name, for a configuration in code.
    public func values(_ storage: String, at path: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: [("storage", storage)] + options(storage, at: path))
    }

    /// The same for the plugin itself, which knows no first word.
    public func settings(_ storage: String, at path: String) -> [String: String] {
        let pairs = options(storage, at: path).map { (String($0.key.dropFirst("storage.".count)), $0.value) }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The same for the command.
    public func flags(_ storage: String, at path: String) -> [String] {
        ["--storage", storage] + options(storage, at: path).flatMap { ["--set", "\($0.key)=\($0.value)"] }
    }

    /// Which storage `patchbay selftest` is to use: the one called `store.STORAGE` in a folder.
    public func selftest(_ storage: String, in folder: String) -> [String] {
        guard storage == "postgres" else { return ["--store", "\(storage):\(folder)"] }
        let options = options(storage, at: "\(folder)/store.\(storage)")
        return [
            "--store", "\(storage):\(options[0].value)", "--set", "\(options[1].key)=\(options[1].value)",
        ]
    }

    /// A side of `patchbay storage copy`: in the command's words, or in a configuration file beside the path.
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
