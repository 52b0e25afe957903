/// The data of a workload. Each dataset has a separate storage, which is filled before its workloads and removed after
/// them.
enum Dataset: String, Sendable, CaseIterable, Codable {
    /// The gateway's data: users with their details, the pages of their list, and favourites.
    case users
    /// YCSB's table.
    case ycsb
    /// The rows of a recording.
    case recording
}
