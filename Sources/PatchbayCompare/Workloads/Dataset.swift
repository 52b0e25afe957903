/// What a workload works on. Each lies in a storage of its own, which is filled before and removed behind its
/// workloads.
enum Dataset: String, Sendable, CaseIterable {
    /// Users with their details, the pages of their list, favourites: what the gateway keeps.
    case users
    /// YCSB's table.
    case ycsb
    /// What a recording told.
    case recording
}
