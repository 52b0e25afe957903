#if Live
import CPlatform

/// The limit on open files and sockets of the process.
enum FileLimit {
    /// Raises the limit as far as the system allows without privileges. Every connection uses one descriptor.
    static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(patchbay_limit_files, &limit) == 0, limit.rlim_cur < limit.rlim_max else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        // If this fails, connections above the lower limit wait until others end.
        _ = unsafe setrlimit(patchbay_limit_files, &limit)
    }
}
#endif
