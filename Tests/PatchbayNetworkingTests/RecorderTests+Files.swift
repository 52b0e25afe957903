import PatchbayCore
import PatchbayTestKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension RecorderTests {
    func bytes() throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = try #require(fopen(path, "w"))
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    /// The names in the test's folder.
    func names() -> [String] { Folder.names(in: directory.path) ?? [] }

    func mode() -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o777
    }

    func setMode(_ mode: mode_t) { chmod(path, mode) }
}
