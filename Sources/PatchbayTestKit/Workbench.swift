import PatchbayCore
import PatchbaySystem

/// The folder of a check, and the function that creates the storage in it.
struct Workbench: Sendable {
    let directory: String
    /// The enclosing folder, which contains any files that the storage creates next to its own folder.
    var parent: String { FileSystem.parent(of: directory) }
    let makeStorage: @Sendable (String) async throws -> any Storage

    init(directory: String, makeStorage: @escaping @Sendable (String) async throws -> any Storage) {
        self.directory = directory
        self.makeStorage = makeStorage
    }

    /// Uses a folder within another, so that files that a storage creates next to its own folder are removed too.
    ///
    /// - Parameter isEmpty: leaves it to the caller to create the folder.
    init(
        in parent: TemporaryDirectory, makeStorage: @escaping @Sendable (String) async throws -> any Storage,
        isEmpty: Bool = false
    ) throws {
        self.init(directory: parent.path + "/here", makeStorage: makeStorage)
        if !isEmpty { try TemporaryDirectory.makeFolder(directory) }
    }

    /// Returns the features of a storage that has not been opened.
    func features() async throws -> StorageFeatures {
        let storage = try await makeStorage(directory)
        let features = storage.features
        try await storage.close()
        return features
    }

    /// Opens the storage, passes it to `body`, and closes it in any case.
    ///
    /// Further calls open the same storage again.
    func open<Result>(
        _ schema: Schema = Sample.schema, body: (any Storage) async throws -> Result
    ) async throws -> Result {
        try await open(StorageOpening(schema)) { storage, _ in try await body(storage) }
    }

    /// Opens the storage in the given way, and also passes the collections that opening returned.
    func open<Result>(
        _ opening: StorageOpening, body: (any Storage, Schema) async throws -> Result
    ) async throws -> Result {
        let storage = try await makeStorage(directory)
        do {
            let schema = try await storage.open(opening)
            let result = try await body(storage, schema)
            try await storage.close()
            return result
        } catch {
            // The first error is the one to report.
            try? await storage.close()
            throw error
        }
    }
}
