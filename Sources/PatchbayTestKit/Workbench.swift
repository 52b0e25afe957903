import PatchbayCore

/// What a check works with: a folder, and the way to open the storage over it.
struct Workbench: Sendable {
    let directory: String
    /// The folder around it, for what a storage leaves beside itself.
    var parent: String { String(directory[..<(directory.lastIndex(of: "/") ?? directory.endIndex)]) }
    let makeStorage: @Sendable (String) async throws -> any Storage

    init(directory: String, makeStorage: @escaping @Sendable (String) async throws -> any Storage) {
        self.directory = directory
        self.makeStorage = makeStorage
    }

    /// Works in a folder of its own below another, so that what a storage leaves beside itself goes away with it.
    ///
    /// - Parameter isEmpty: leaves the folder to be made by whoever comes.
    init(
        in parent: TemporaryDirectory, makeStorage: @escaping @Sendable (String) async throws -> any Storage,
        isEmpty: Bool = false
    ) throws {
        self.init(directory: parent.path + "/here", makeStorage: makeStorage)
        if !isEmpty { try TemporaryDirectory.makeFolder(directory) }
    }

    /// The features of a storage that has not been opened.
    func features() async throws -> StorageFeatures {
        let storage = try await makeStorage(directory)
        let features = storage.features
        try await storage.close()
        return features
    }

    /// Opens the storage, hands it to `body`, and closes it whatever happens.
    ///
    /// Called again it opens what is there.
    func open<Result>(
        _ schema: Schema = Sample.schema, body: (any Storage) async throws -> Result
    ) async throws -> Result {
        try await open(StorageOpening(schema)) { storage, _ in try await body(storage) }
    }

    /// The same for any opening; hands over the collections that opening returned, too.
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
            // The first error is the one to tell.
            try? await storage.close()
            throw error
        }
    }
}
