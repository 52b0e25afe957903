import CLMDB
import PatchbayCore

/// Describes an open storage.
struct Description {
    let transaction: Transaction
    let durability: Durability

    func make() throws -> StorageDescription {
        StorageDescription(
            engine: engine, path: PatchbayCore.Folder.trimmed(transaction.environment.path), files: try files(),
            settings: try settings())
    }

    private var engine: String {
        var major: Int32 = 0, minor: Int32 = 0, patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        return "LMDB \(major).\(minor).\(patch)"
    }

    private func files() throws -> [StorageDescription.File] {
        let path = PatchbayCore.Folder.trimmed(transaction.environment.path)
        return try FileSystem.names(in: path).compactMap { name in
            let file = path + "/" + name
            return try FileStatus(path: file).map { .init(path: file, bytes: $0.bytesOnDisk) }
        }
    }

    private func settings() throws -> [StorageDescription.Setting] {
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
