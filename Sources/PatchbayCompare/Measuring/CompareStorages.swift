package import PatchbayCore
import PatchbayDomain

/// Measures storages side by side: the same operations in the same order, a few at a time, each subject in its turn.
///
/// A disturbance of the machine therefore affects all subjects equally. Their answers are compared after each turn.
/// Existing storages are never opened: each subject works in a new folder, which is removed at the end.
package enum CompareStorages {
    /// Fewer made-up users would not fill a page of their list.
    package static let rowsMin = 100
    /// Fewer copied rows would not fill a displayed page, nor a transaction of 20 different rows.
    package static let copiedRowsMin = 20
    package static let rowsMax = 100_000_000

    /// - Parameters:
    ///   - subjects: at least one, with different names; the first is the reference.
    ///   - rows: what every subject stores. Copied rows determine the number of rows in the settings.
    ///   - folder: an existing folder, in which a new one holds the data during the comparison.
    ///   - isInterrupted: called between turns; true ends the comparison with the measurements until then.
    ///   - progress: called during the comparison with the seconds since the start.
    /// - Throws: `invalidConfiguration` for an unknown workload, `invalidValue` for a number of rows out of range, and
    ///   `storageFull`, `permissionDenied` or `invalidConfiguration` when the folder cannot be created, and the errors
    ///   of copying rows. A subject that fails is reported in the result.
    package static func run(
        _ subjects: [Subject], of rows: ComparedRows, settings: CompareSettings, folder: String,
        place: MeasuringPlace, isInterrupted: @escaping @Sendable () -> Bool = { false },
        progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> Comparison {
        precondition(!subjects.isEmpty, "there is nothing to compare")
        precondition(Set(subjects.map(\.name)).count == subjects.count, "two subjects of one name")
        var settings = settings
        let workloads = try rows.workloads(named: settings.workloads)
        settings.workloads = workloads.map(\.name)
        if rows.source == nil { try check(settings.rows) }
        let folder = try DataFolder(unique: "patchbay-compare", in: folder)
        defer { folder.remove() }
        var copy: RowsCopy?
        if let source = rows.source {
            let file = folder.path + "/rows", name = rows.resource.plural
            let count = try await RowsFile.write(source, to: file, isInterrupted: isInterrupted) {
                progress(WorkProgress("copying \(name)", done: $0))
            }
            if !isInterrupted() { try check(count, rows) }
            settings.rows = [count]
            copy = RowsCopy(file: file, collection: rows.resource.collection.name, origin: source.origin)
        }
        let comparison = Comparison(
            machine: .current(folder: folder.path), loadAtStart: Machine.load,
            versions: [NameAndValue("patchbay", PatchbayVersion.current)], settings: settings,
            subjects: subjects)
        var race = Race(
            workloads: workloads, comparison: comparison, isInterrupted: isInterrupted, progress: progress)
        for (number, subject) in subjects.enumerated() {
            let setup = BenchSetup(
                subject: subject, folder: "\(folder.path)/\(number)", seed: settings.seed,
                threads: settings.threads, copy: copy)
            if !isInterrupted() { await race.add(setup, place) }
        }
        // The processes have opened the copied rows, and a killed comparison must not leave them.
        if let copy { RowsFile.remove(copy.file) }
        await race.run()
        await race.end()
        return race.comparison
    }

    private static func check(_ counts: [Int]) throws {
        for rows in counts where !(rowsMin...rowsMax).contains(rows) {
            throw PatchbayError(
                .invalidValue, "\(rows) rows cannot be compared; take \(rowsMin) to \(rowsMax)")
        }
    }

    private static func check(_ count: Int, _ rows: ComparedRows) throws {
        guard let source = rows.source, count < copiedRowsMin else { return }
        throw PatchbayError(
            .invalidValue,
            "\(source.words) has \(rows.resource.counted(count)), and a comparison needs at least \(copiedRowsMin), "
                + "which fill a page")
    }
}
