import PatchbayCore
import PatchbayDomain
import PatchbaySystem

/// Where the text index of a storage is.
enum TextPlace: Sendable {
    case memory
    /// - mode: the permissions of a new file.
    case file(String, mode: UInt32)

    /// Beside the storage: `NAME.find`. In the cache folder for a storage on a server, or in a folder in which this
    /// user may not write, and in memory for one in memory.
    init(of storage: any Storage) async throws {
        guard storage.features.contains(.durable), let path = try await storage.describe().path else {
            self = .memory
            return
        }
        let isBeside =
            !storage.features.contains(.sharedBetweenMachines)
            && (FileSystem.exists(at: path + Self.suffix)
                || FileSystem.obstacleToWriting(FileSystem.parent(of: path)) == nil)
        if isBeside {
            // A folder's permission to be searched is none of a file.
            self = .file(path + Self.suffix, mode: (FileStatus(at: path)?.mode ?? 0o600) & 0o666)
            return
        }
        let folder = try PathExpansion(environment: ProcessEnvironment.variables).expand(
            "${XDG_CACHE_HOME}/patchbay", from: nil)
        try FileSystem.makeFolders(folder)
        self = .file("\(folder)/\(TextDigest(of: path).description.prefix(16))\(Self.suffix)", mode: 0o600)
    }

    static let suffix = ".find"

    /// The place of an index with these texts only: `NAME.DIGEST.find`.
    func apart(for fields: [TextFields]) -> TextPlace {
        guard case .file(let path, let mode) = self else { return .memory }
        let texts = fields.map { "\($0.resource.collection.name): \($0.signature)" }.joined(separator: "\n")
        let digest = TextDigest(of: texts).description.prefix(16)
        return .file(path.dropLast(Self.suffix.count) + "." + digest + Self.suffix, mode: mode)
    }
}
