import PatchbayCore
import PatchbayTestKit

extension SmallDisk {
    var database: String { path + "/test.sqlite" }
    var databaseBytes: Int { FileStatus(at: database)?.bytes ?? 0 }
    var names: [String] { Folder.names(in: path) ?? [] }
}
