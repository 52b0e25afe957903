import PatchbayCore
import PatchbayDomain

/// A kind of work that a comparison measures.
///
/// It consists of turns. Each turn runs the same operations on every subject, in the same order, and collects their
/// answers.
package struct Workload: Sendable {
    /// The name on the command line.
    package let name: String
    /// One line that describes one operation.
    package let summary: String
    /// What rows must have for the workload, besides a key.
    package var need: Need?
    /// Whether it fills the storage: each round starts with an empty one and ends with the last row.
    var isLoad = false
    /// Whether it needs a storage that keeps its rows when it is closed.
    var needsFiles = false
    /// Whether it only gets, lists and saves rows, so that a bare engine can run it.
    package var isBare = false
    /// The number of turns in a round of ``roundSeconds``; nil for a workload that continues until the time is over. A
    /// workload that changes the storage has a fixed number, so that all runs read and leave the same rows.
    var turnsARound: Int?
    /// Whether it writes; the storages of all subjects must have the same rows afterwards.
    var writes = false
    /// The factor up to which two storages of the same kind may differ, because something is the same in all rounds:
    /// the places of the memory of a process, and, for writes to a filled storage, those of its files on the disk.
    var tolerance: Double { writes && !isLoad ? 1.5 : SpeedRatio.equalMax }
    /// The duration of a round for which ``turnsARound`` is meant.
    static let roundSeconds = 0.4
    let turn: @Sendable (Bench, Turn) async throws -> Void

    /// What a workload needs of its rows.
    package enum Need: Sendable {
        /// A handle other than the key.
        case handle
        /// A handle other than the key whose beginning can be searched.
        case textHandle
        /// A field that may be edited.
        case editableField
        /// A list whose pages can be made up.
        case synthetic
        /// A recording that can be synced.
        case recording
    }

    /// All workloads except those of indexes (``index(_:)``), in the order in which they run: the one that fills the
    /// storage, then those that only read, then those that write.
    package static let named: [Workload] = [
        .load, .getByKey, .getByHandle, .pageForward, .pageBackward, .prefixSearch, .favourites, .scan, .open,
        .firstPage, .coldStart, .readersBesideWriter, .durableWrite, .durablePage, .edit, .refreshPage,
        .syncResume, .sync,
    ]

    /// The workloads that rows of a resource permit, in the order in which they run.
    ///
    /// - Parameter origin: where the rows are copied from; nil for made-up users.
    static func all(of resource: Resource, from origin: RowsOrigin?) -> [Workload] {
        let permitted = named.filter { workload in
            switch workload.need {
            case nil: true
            case .handle: resource.handleIndex != nil
            case .textHandle: resource.handleIndex != nil && resource.handle?.type == .text
            case .editableField: !resource.editable.isEmpty
            case .synthetic: origin == nil
            case .recording: origin?.recording != nil
            }
        }
        let indexes = resource.collection.indexes.filter {
            $0.name != resource.handleIndex?.name && $0.name != resource.changeIndex.name
        }
        let place = permitted.firstIndex { $0.name == Workload.favourites.name } ?? permitted.endIndex
        return permitted[..<place] + indexes.map(Workload.index) + permitted[place...]
    }

    /// - Throws: `invalidConfiguration` with the known names.
    static func named(_ name: String, in all: [Workload], of resource: Resource) throws -> Workload {
        if let workload = all.first(where: { $0.name == name }) { return workload }
        guard let need = named.first(where: { $0.name == name })?.need else {
            throw PatchbayError(
                .invalidConfiguration, EditDistance.unknown("workload", name, in: all.map(\.name)))
        }
        throw PatchbayError(.invalidConfiguration, "the workload \"\(name)\" \(need.words(resource))")
    }
}

extension Workload.Need {
    /// Why rows of a resource lack it.
    fileprivate func words(_ resource: Resource) -> String {
        switch self {
        case .handle: "needs a handle, and \(resource.plural) are named by their keys"
        case .textHandle: "needs a handle that is a text, which \(resource.plural) lack"
        case .editableField: "needs a field that may be edited, and \(resource.plural) have none"
        case .synthetic: "runs on made-up users only"
        case .recording: "syncs a recording, and the rows come from none"
        }
    }
}
