import Patchbay
import PatchbaySystem
import PatchbayTerminal

/// The storage that a configuration selects, before it is opened.
struct ChosenStorage: Sendable {
    let configuration: GatewayConfiguration
    /// The name of its plugin.
    let plugin: String
    /// The file or folder; nil for a storage without one.
    let path: String?
    /// The path, or another location such as a server's address; nil when there is neither.
    let place: String?

    init(_ configuration: GatewayConfiguration) throws {
        self.configuration = configuration
        plugin = configuration.configuration.plugin("storage")
        let entries = configuration.configuration.entries.filter { $0.key.hasPrefix("storage.") }
        path = try entries.first { $0.type == .path }.map {
            FileSystem.resolvedIfThere(try configuration.path($0))
        }
        let words = entries.filter { $0.type == .text || $0.type == .space }.map {
            Message.withoutSecrets($0.value.shownText)
        }
        place = path ?? (words.isEmpty ? nil : words.joined(separator: " "))
    }

    /// One side of a copy: a configuration file, or a storage and the value of its first option, as in
    /// `lmdb:users.lmdb`.
    ///
    /// PATCHBAY_STORAGE in the environment is ignored, because it would apply to both sides.
    init(side text: String) throws {
        let environment = ProcessEnvironment.withoutStorage
        let plugins = CommandLineTool.plugins
        guard let colon = text.firstIndex(of: ":"), !FileSystem.isTaken(text) else {
            guard FileSystem.isTaken(text) else {
                throw PatchbayError(
                    .invalidConfiguration, "\"\(text)\" is neither a configuration file nor storage:path")
            }
            guard !FileSystem.exists(at: text) else {
                throw PatchbayError(
                    .invalidConfiguration,
                    "\"\(text)\" is a folder; name its storage, as in \"flatfile:\(text)\", or a configuration file"
                )
            }
            do {
                try self.init(GatewayConfiguration(plugins: plugins, file: text, environment: environment))
            } catch let error as PatchbayError where !text.hasSuffix(".conf") {
                throw PatchbayError(
                    .invalidConfiguration,
                    "\"\(text)\" is not a configuration file; for a storage, name its kind: \"sqlite:\(text)\"",
                    cause: error)
            }
            return
        }
        let name = String(text[..<colon]), place = String(text[text.index(after: colon)...])
        let key = try plugins.storages.plugin(named: name).options.first?.key ?? "path"
        let flags = [("storage", name), ("storage.\(key)", place)]
        try self.init(
            GatewayConfiguration(
                plugins: plugins, flags: flags.map { .init($0.0, $0.1, name: "\"\(text)\"") },
                environment: environment))
    }

    /// The plugin and place, for messages and for comparing storages.
    var name: String { place.map { "\(plugin) \"\($0)\"" } ?? plugin }

    /// The error for a command that needs an existing storage: the path is wrong, or nothing has been fetched yet.
    var missing: PatchbayError {
        PatchbayError(
            .notFound,
            "nothing is stored at \"\(place ?? plugin)\" yet; fetch something first "
                + "(\"patchbay resources\" lists what there is), or check storage and its options")
    }

    /// Creates the storage without opening it.
    func make(_ access: StorageAccess) async throws -> any Storage {
        try await configuration.openStorage(access)
    }

    /// Opens the storage and shows the progress of a slow opening.
    ///
    /// - Parameter schema: the schema to migrate to; nil keeps the stored one.
    func open(_ schema: Schema?, _ access: StorageAccess) async throws -> Store {
        do {
            let storage = try await make(access)
            return try await ProgressBar.errors.showing {
                try await Store(storage, schema: schema, access: access, progress: $0)
            }
        } catch let error as PatchbayError where error.code == .notFound && access != .creating {
            throw missing
        } catch {
            throw schema == nil ? error : await configuration.explained(error)
        }
    }

    /// Opens the storage, runs `body` and closes it.
    func withStore<Result: Sendable>(
        _ schema: Schema? = nil, _ access: StorageAccess = .reading,
        _ body: (Store) async throws -> Result
    ) async throws -> Result {
        let store = try await open(schema, access)
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            // The first error is the one to report.
            try? await store.close()
            throw error
        }
    }

    /// The backups that migrations have left next to the storage: `NAME.before-schema-N`.
    var backups: [String] {
        guard let path, let slash = path.lastIndex(of: "/") else { return [] }
        let folder = String(path[..<slash]), name = path[path.index(after: slash)...]
        return (FileSystem.names(in: folder) ?? []).filter { $0.hasPrefix("\(name).before-schema-") }.map {
            "\(folder)/\($0)"
        }
    }
}

extension ProcessEnvironment {
    /// The environment without the variables that would choose one storage for every part of a command.
    static var withoutStorage: [String: String] {
        variables.filter { !$0.key.hasPrefix("PATCHBAY_STORAGE") && $0.key != "PATCHBAY_CONFIG" }
    }
}
