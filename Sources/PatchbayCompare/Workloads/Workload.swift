import PatchbayCore

/// The data of a workload. Each dataset has a separate storage, which is filled before its workloads and removed after
/// them.
enum Dataset: Sendable, CaseIterable {
    /// The gateway's data: users with their details, the pages of their list, and favourites.
    case users
    /// The rows of a recording.
    case recording
}

/// A kind of work that a comparison measures.
///
/// It consists of turns. Each turn runs the same operations on every subject, in the same order, and collects their
/// answers.
package struct Workload: Sendable {
    /// The name on the command line.
    package let name: String
    /// One line that describes one operation.
    package let summary: String
    var dataset = Dataset.users
    /// Whether it fills the storage: each round starts with an empty one and ends with the last row.
    var isLoad = false
    /// Whether it needs a storage that keeps its rows when it is closed.
    var needsFiles = false
    /// Whether it only gets, lists and saves users, so that a bare engine can run it.
    package var isBare = false
    /// The number of turns in a round of ``roundSeconds``; nil for a workload that continues until the time is over. A
    /// workload that changes the storage has a fixed number, so that all runs read and leave the same rows.
    var turnsARound: Int?
    /// Whether it writes; the storages of all subjects must have the same rows afterwards.
    var writes = false
    /// The duration of a round for which ``turnsARound`` is meant.
    static let roundSeconds = 0.4
    let turn: @Sendable (Bench, Turn) async throws -> Void

    /// All workloads in the order in which they run: for each dataset the one that fills it, then those that only read,
    /// then those that write.
    package static let all = usual + replaying

    /// The default workloads, which are all that need no recording.
    package static let usual: [Workload] = [
        .load, .getByKey, .getByLogin, .pageForward, .pageBackward, .prefixSearch, .favourites, .scan, .open,
        .firstPage, .coldStart, .readersBesideWriter, .durableWrite, .durablePage, .refreshPage, .syncResume,
    ]

    /// The workloads that replay a recording.
    package static let replaying: [Workload] = [.ingest, .recordedByKey, .recordedByLogin, .recordedPages]

    /// - Throws: `invalidConfiguration` with the known names.
    package static func named(_ name: String) throws -> Workload {
        if let workload = all.first(where: { $0.name == name }) { return workload }
        throw PatchbayError(
            .invalidConfiguration, EditDistance.unknown("workload", name, in: all.map(\.name)))
    }
}
