import PatchbayCore
import PatchbaySystem
import PatchbayTestKit

extension SmallDisk {
    var database: String { path + "/test.sqlite" }
    var databaseBytes: Int { FileStatus(at: database)?.bytes ?? 0 }
    var names: [String] { FileSystem.names(in: path) ?? [] }
}
