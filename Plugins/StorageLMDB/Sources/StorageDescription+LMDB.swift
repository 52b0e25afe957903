import CLMDB
import PatchbayCore

extension StorageDescription {
    /// Describes an open storage.
    init(_ transaction: Transaction, _ durability: Durability) throws {
        var major: Int32 = 0, minor: Int32 = 0, patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        let path = PatchbayCore.Folder.trimmed(transaction.environment.path)
        let files = try FileSystem.names(in: path).compactMap { name in
            let file = path + "/" + name
            return try FileStatus(path: file).map { File(path: file, bytes: $0.bytesOnDisk) }
        }
        self.init(
            engine: "LMDB \(major).\(minor).\(patch)", path: path, files: files,
            settings: try StorageDescription.settings(transaction, durability))
    }

    private static func settings(_ transaction: Transaction, _ durability: Durability) throws -> [Setting] {
        let environment = transaction.environment, snapshot = transaction.snapshot
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment.handle, &info)
        return [
            .init("durability", durability.rawValue),
            .init("map_size", unsafe "\(info.me_mapsize)"),
            .init("page_size", "\(snapshot.pageBytes)"),
            .init("pages", "\(snapshot.lastPage + 1)"),
            .init("free_pages", "\(try snapshot.freePageCount())"),
            .init("last_transaction", "\(snapshot.number)"),
            .init("reader_places", unsafe "\(info.me_numreaders) of \(info.me_maxreaders)"),
        ]
    }
}
