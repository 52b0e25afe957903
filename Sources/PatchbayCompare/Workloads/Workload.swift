import PatchbayCore

/// A kind of work that storages are compared by.
///
/// It consists of turns; each does the same operations on every subject, in the same order, and collects what they
/// answer.
package struct Workload: Sendable {
    /// The word for it on the command line.
    package let name: String
    /// One line: what one operation is.
    package let summary: String
    let dataset: Dataset
    /// Whether it fills the storage: it then begins with an empty one in each round, and ends when all rows are in.
    var isLoad = false
    /// Whether it needs files that outlive the storage's closing.
    var needsFiles = false
    /// How many turns a round of ``roundSeconds`` has; nil for a workload that goes on until the time is over. One that
    /// leaves the storage changed does so much work in every run, so that all runs see and leave the same.
    var turnsARound: Int?
    /// Whether it writes; when it has ended the storages of all subjects must hold the same.
    let writes: Bool
    /// The length of a round that ``turnsARound`` was chosen for.
    static let roundSeconds = 0.4
    let turn: @Sendable (Bench, Turn) async throws -> Void

    init(
        _ name: String, _ summary: String, _ dataset: Dataset, isLoad: Bool = false,
        needsFiles: Bool = false, turnsARound: Int? = nil, writes: Bool = false,
        turn: @escaping @Sendable (Bench, Turn) async throws -> Void
    ) {
        self.name = name
        self.summary = summary
        self.dataset = dataset
        self.isLoad = isLoad
        self.needsFiles = needsFiles
        self.turnsARound = turnsARound
        self.writes = writes
        self.turn = turn
    }

    /// All of them in the order in which they run: of each dataset first the one that fills it, then those that only
    /// read.
    package static let all: [Workload] = users + ycsb + recording

    private static let users: [Workload] = [
        .load, .getByKey, .getByLogin, .pageForward, .pageBackward, .prefixSearch, .favourites, .scan, .open,
        .firstPage, .coldStart, .readersBesideWriter, .durableWrite, .refreshPage, .syncResume,
    ]

    private static let ycsb: [Workload] = [
        .ycsbLoad, .ycsbA, .ycsbB, .ycsbC, .ycsbF, .ycsbD, .ycsbE,
    ]

    private static let recording: [Workload] = [
        .ingest, .recordedByKey, .recordedByLogin, .recordedPages,
    ]

    /// - Throws: `invalidConfiguration` naming what there is.
    package static func named(_ name: String) throws -> Workload {
        if let workload = all.first(where: { $0.name == name }) { return workload }
        let names = all.map(\.name)
        let meant = EditDistance.suggestion(for: name, in: names)
        throw PatchbayError(
            .invalidConfiguration,
            "there is no workload \"\(name)\"\(meant); known: \(names.joined(separator: ", "))")
    }

    /// Those that run when nothing else is said: all, without those that need a recording.
    package static let usual = all.filter { $0.dataset != .recording }
    /// Those that a recording is replayed for.
    package static let replaying = all.filter { $0.dataset == .recording }
}
