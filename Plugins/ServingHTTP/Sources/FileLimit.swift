#if Live
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How many files and sockets the process may have open.
enum FileLimit {
    /// Raises the limit as far as the system allows without privileges. Every connection is one file.
    static func raise() {
        var limit = rlimit()
        #if canImport(Musl)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        // With the lower limit further connections wait until others have ended.
        _ = unsafe setrlimit(resource, &limit)
    }
}
#endif
