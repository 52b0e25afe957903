#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file system of a few kilobytes that a test mounts, and unmounts in the end. Only root may.
final class TinyDisk: Sendable {
    let path: String

    /// Nil when nothing can be mounted here: the test says that it skips.
    init?(_ path: String, kilobytes: Int) {
        self.path = path
        guard mkdir(path, 0o755) == 0, mount("none", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            return nil
        }
    }

    func setReadOnly(_ isReadOnly: Bool) -> Bool {
        mount(
            "none", path, "tmpfs", UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0),
            nil)
            == 0
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
