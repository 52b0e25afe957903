package import PatchbayCore

/// Measures storages side by side: the same operations in the same order, a few at a time, each subject in its turn.
///
/// What disturbs the machine so disturbs all alike, and what they answer is compared after each turn. Nothing of
/// anybody's is opened: each subject works in a folder of the comparison's own, which is removed at the end.
package struct CompareStorages: Sendable {
    private let settings: CompareSettings
    private let workloads: [Workload]
    private let subjects: [Subject]
    private let folder: String
    private let recording: String?
    private let place: MeasuringPlace

    /// How many rounds a workload that fills the storage has at most.
    static let loadRoundsMax = 3
    /// A comparison of fewer users would not fill a page, nor leave some to a writer.
    package static let rowsMin = 100
    package static let rowsMax = 100_000_000

    /// - Parameters:
    ///   - subjects: at least one, with names that differ; the first one is the reference.
    ///   - folder: where the data lies meanwhile, in a folder of a new name; it must be there.
    ///   - recording: the HAR file to replay.
    /// - Throws: `invalidConfiguration` for a workload that there is not, `invalidValue` for a number out of its range.
    package init(
        _ subjects: [Subject], settings: CompareSettings, folder: String, recording: String? = nil,
        place: MeasuringPlace
    ) throws {
        precondition(!subjects.isEmpty, "there is nothing to compare")
        precondition(Set(subjects.map(\.name)).count == subjects.count, "two subjects of one name")
        self.settings = settings
        self.subjects = subjects
        self.folder = folder
        self.recording = recording
        self.place = place
        workloads = try settings.workloads.map(Workload.named)
        for rows in settings.rows where !(Self.rowsMin...Self.rowsMax).contains(rows) {
            throw PatchbayError(
                .invalidValue, "\(rows) rows cannot be compared; take \(Self.rowsMin) to \(Self.rowsMax)")
        }
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - isInterrupted: asked between two turns; true ends the comparison with what was measured until then.
    ///   - progress: hears how far it is; counts rounds.
    /// - Throws: `storageFull`, `permissionDenied` or `invalidConfiguration` when the folder cannot be made. A subject
    ///   that fails is told in the result.
    package func callAsFunction(
        isInterrupted: @escaping @Sendable () -> Bool = { false },
        progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> Comparison {
        let folder = try DataFolder(unique: "patchbay-compare", in: folder)
        defer { folder.remove() }
        let comparison = Comparison(
            machine: .current(folder: folder.path),
            versions: [NameAndValue("patchbay", PatchbayVersion.current)], settings: settings,
            subjects: subjects)
        let race = Race(
            workloads, comparison, isInterrupted: isInterrupted, progress: progress)
        for (number, subject) in subjects.enumerated() {
            let setup = BenchSetup(
                storage: subject.storage, settings: subject.settings, folder: "\(folder.path)/\(number)",
                seed: settings.seed, threads: settings.threads, recording: recording, isAlone: isAlone)
            await race.add(subject, setup) { try link() }
        }
        await race.run()
        await race.end()
        return race.comparison
    }

    private var isAlone: Bool { if case .processes = place { true } else { false } }

    private func link() throws -> any BenchLink {
        switch place {
        case .processes(let arguments): try WorkerProcess(arguments: arguments)
        case .thisProcess(let plugins): LocalBench(plugins)
        }
    }
}
