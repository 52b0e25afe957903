import CLMDB
import PatchbayCore
import PatchbaySystem

extension StorageDescription {
    /// Describes an open storage.
    init(_ transaction: Transaction, _ durability: Durability) throws {
        var major: Int32 = 0, minor: Int32 = 0, patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        let path = FileSystem.trimmed(transaction.environment.path)
        let files = try EnvironmentFiles.names(in: path).compactMap { name in
            let file = path + "/" + name
            return try FileStatus(path: file).map { File(path: file, bytes: $0.bytesOnDisk) }
        }
        let environment = transaction.environment, snapshot = transaction.snapshot
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment.handle, &info)
        let settings: [Setting] = [
            .init("durability", durability.rawValue),
            .init("map_size", unsafe "\(info.me_mapsize)"),
            .init("page_size", "\(snapshot.pageBytes)"),
            .init("pages", "\(snapshot.header.lastPage + 1)"),
            .init("free_pages", "\(try PageCheck(snapshot).checkFreeList())"),
            .init("last_transaction", "\(snapshot.number)"),
            .init("reader_places", unsafe "\(info.me_numreaders) of \(info.me_maxreaders)"),
        ]
        self.init(
            engine: "LMDB \(major).\(minor).\(patch)", path: path, files: files, settings: settings)
    }
}
