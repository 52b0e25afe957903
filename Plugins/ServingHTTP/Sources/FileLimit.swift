#if Live
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The limit on open files and sockets of the process.
enum FileLimit {
    /// Raises the limit as far as the system allows without privileges. Every connection uses one descriptor.
    static func raise() {
        var limit = rlimit()
        #if canImport(Musl)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // If this fails, connections above the lower limit wait until others end.
        _ = unsafe setrlimit(resource, &limit)
    }
}
#endif
