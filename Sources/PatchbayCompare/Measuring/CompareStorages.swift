package import PatchbayCore

/// Measures storages side by side: the same operations in the same order, a few at a time, each subject in its turn.
///
/// A disturbance of the machine therefore affects all subjects equally. Their answers are compared after each turn.
/// Existing storages are never opened: each subject works in a new folder, which is removed at the end.
package enum CompareStorages {
    /// The most rounds of a workload that fills the storage.
    static let loadRoundsMax = 3
    /// Fewer items would neither fill a page nor leave some to a writer.
    package static let rowsMin = 100
    package static let rowsMax = 100_000_000

    /// - Parameters:
    ///   - subjects: at least one, with different names; the first is the reference.
    ///   - folder: an existing folder, in which a new one holds the data during the comparison.
    ///   - recording: the HAR file to replay.
    ///   - isInterrupted: called between turns; true ends the comparison with the measurements until then.
    ///   - progress: called during the comparison with the number of finished rounds.
    /// - Throws: `invalidConfiguration` for an unknown workload, `invalidValue` for a number of rows out of range, and
    ///   `storageFull`, `permissionDenied` or `invalidConfiguration` when the folder cannot be created. A subject that
    ///   fails is reported in the result.
    package static func run(
        _ subjects: [Subject], settings: CompareSettings, folder: String, recording: String? = nil,
        place: MeasuringPlace, isInterrupted: @escaping @Sendable () -> Bool = { false },
        progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> Comparison {
        precondition(!subjects.isEmpty, "there is nothing to compare")
        precondition(Set(subjects.map(\.name)).count == subjects.count, "two subjects of one name")
        let workloads = try settings.workloads.map(Workload.named)
        for rows in settings.rows where !(rowsMin...rowsMax).contains(rows) {
            throw PatchbayError(
                .invalidValue, "\(rows) rows cannot be compared; take \(rowsMin) to \(rowsMax)")
        }
        let folder = try DataFolder(unique: "patchbay-compare", in: folder)
        defer { folder.remove() }
        let comparison = Comparison(
            machine: .current(folder: folder.path), loadAtStart: Machine.load,
            versions: [NameAndValue("patchbay", PatchbayVersion.current)], settings: settings,
            subjects: subjects)
        var race = Race(
            workloads: workloads, comparison: comparison, isInterrupted: isInterrupted, progress: progress)
        for (number, subject) in subjects.enumerated() {
            let setup = BenchSetup(
                subject: subject, folder: "\(folder.path)/\(number)", seed: settings.seed,
                threads: settings.threads, recording: recording)
            await race.add(setup, place)
        }
        await race.run()
        await race.end()
        return race.comparison
    }
}
