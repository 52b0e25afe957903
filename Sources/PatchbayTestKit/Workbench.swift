import PatchbayCore

/// What a check works with: a folder, and the way to open the storage over it.
struct Workbench: Sendable {
    let directory: String
    let makeStorage: @Sendable (String) async throws -> any Storage

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
        let storage = try await makeStorage(directory)
        do {
            try await storage.open(schema)
            let result = try await body(storage)
            try await storage.close()
            return result
        } catch {
            // The first error is the one to tell.
            try? await storage.close()
            throw error
        }
    }
}
