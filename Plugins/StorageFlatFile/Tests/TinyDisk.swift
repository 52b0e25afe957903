#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayTestKit

/// A file system of a few kilobytes that a test mounts and finally unmounts, which only root may do.
final class TinyDisk: Sendable {
    /// Whether mounting works here.
    static let isPossible =
        (try? TemporaryDirectory()).map { TinyDisk($0.path + "/disk", kilobytes: 16) != nil } ?? false

    let path: String

    /// Nil when mounting does not work here.
    init?(_ path: String, kilobytes: Int) {
        self.path = path
        guard unsafe mkdir(path, 0o755) == 0,
            unsafe mount("none", path, "tmpfs", 0, "size=\(kilobytes)k") == 0
        else {
            return nil
        }
    }

    /// Fills the disk completely.
    func fill() {
        let file = unsafe open(path + "/filler", O_WRONLY | O_CREAT, 0o600),
            zeros = [UInt8](repeating: 0, count: 512)
        while unsafe write(file, zeros, zeros.count) > 0 {}
        close(file)
    }

    deinit { while unsafe umount2(path, Int32(MNT_DETACH)) == 0 {} }
}
