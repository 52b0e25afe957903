import PatchbayCore

/// A running comparison. Only one task may use it.
final class Race {
    private let workloads: [Workload]
    private let isInterrupted: @Sendable () -> Bool
    private let progress: WorkProgress.Handler
    private var rivals: [Rival] = []
    var comparison: Comparison
    private var roundsDone = 0
    private var wasInterrupted = false

    private var settings: CompareSettings { comparison.settings }
    private var alive: [Rival] { rivals.filter(\.isAlive) }

    init(
        _ workloads: [Workload], _ comparison: Comparison, isInterrupted: @escaping @Sendable () -> Bool,
        progress: @escaping WorkProgress.Handler
    ) {
        self.workloads = workloads
        self.comparison = comparison
        self.isInterrupted = isInterrupted
        self.progress = progress
    }

    func add(_ subject: Subject, _ setup: BenchSetup, _ link: () throws -> any BenchLink) async {
        do {
            let rival = Rival(subject, try link())
            rivals.append(rival)
            _ = await ask(rival, .setUp(setup), nil, rows: 0)
        } catch {
            note(error, subject, nil, rows: 0)
        }
    }

    func run() async {
        for rows in settings.rows {
            for dataset in Dataset.allCases where workloads.contains(where: { $0.dataset == dataset }) {
                await run(dataset, rows: rows)
            }
        }
        comparison.isComplete = !wasInterrupted && comparison.failures.isEmpty
    }

    /// Makes all subjects remove their files.
    func end() async {
        for rival in rivals where rival.isAlive { _ = await ask(rival, .end, nil, rows: 0) }
        for rival in rivals { await rival.link.close() }
    }

    private func run(_ dataset: Dataset, rows: Int) async {
        let load = Workload.all.first { $0.dataset == dataset && $0.isLoad }!
        await each(load, rows) { rival in
            let reply = await self.ask(rival, .begin(dataset, rows: rows), load, rows: rows)
            if case .begun(let engine) = reply { self.note(engine, rival) }
        }
        let isLoadWanted = workloads.contains { $0.name == load.name }
        await run(
            load, rows: rows, rounds: isLoadWanted ? min(settings.rounds, CompareStorages.loadRoundsMax) : 1)
        if isLoadWanted { takeResults() }
        for workload in workloads where workload.dataset == dataset && !workload.isLoad {
            if goesOn() { await run(workload, rows: rows, rounds: settings.rounds) }
            takeResults()
        }
    }

    /// Runs a workload on all subjects.
    private func run(_ workload: Workload, rows: Int, rounds: Int) async {
        for rival in alive { rival.begin(workload, rows: rows) }
        await each(workload, rows) { rival in
            let reply = await self.ask(rival, .prepare(workload: workload.name), workload, rows: rows)
            if case .skipped(let reason) = reply { rival.result.skipped = reason }
        }
        var schedule = Schedule(workload, seconds: settings.seconds)
        if !workload.isLoad { await round(workload, rows, &schedule) }
        for _ in 0..<rounds where goesOn() {
            schedule.beginRound()
            await round(workload, rows, &schedule)
            roundsDone += 1
        }
        if goesOn() { await finish(workload, rows) }
    }

    private func round(_ workload: Workload, _ rows: Int, _ schedule: inout Schedule) async {
        let racing = alive.filter { $0.result.skipped == nil }
        for rival in racing {
            rival.roundNanoseconds = 0
            _ = await ask(rival, .beginRound, workload, rows: rows)
        }
        var isOver = racing.isEmpty
        while !isOver, goesOn() {
            report(workload, rows)
            let isLast = await turn(workload, rows, schedule)
            let longest = racing.map(\.roundNanoseconds).max() ?? 0
            isOver = schedule.isOver(afterNanoseconds: longest, isLast: isLast)
            schedule.endTurn()
        }
        for rival in racing where rival.isAlive {
            let reply = await ask(rival, .endRound, workload, rows: rows)
            guard case .round(let round) = reply, isOver, !schedule.isWarmUp else { continue }
            rival.result.rounds.append(round)
        }
    }

    /// Runs a turn of each subject, starting with a different one each time; true when the workload has ended.
    private func turn(_ workload: Workload, _ rows: Int, _ schedule: Schedule) async -> Bool {
        let racing = alive.filter { $0.result.skipped == nil }
        guard !racing.isEmpty else { return true }
        let first = schedule.turn % racing.count
        var isLast = true
        for rival in racing[first...] + racing[..<first] {
            let reply = await ask(rival, .turn(number: schedule.number), workload, rows: rows)
            guard case .turn(let outcome) = reply else { continue }
            rival.roundNanoseconds += outcome.nanoseconds
            rival.take(outcome.digest, isRepeatable: schedule.isRepeatable)
            isLast = outcome.isLast
        }
        await compareDigests(racing, of: .lastTurn, workload, rows)
        return isLast
    }

    private func finish(_ workload: Workload, _ rows: Int) async {
        let racing = alive.filter { $0.result.skipped == nil }
        for rival in racing {
            let reply = await ask(rival, .finish, workload, rows: rows)
            guard case .finished(let bytesOnDisk, let digest) = reply else { continue }
            rival.result.bytesOnDisk = bytesOnDisk
            rival.take(digest, isRepeatable: true)
        }
        await compareDigests(racing, of: .collection(0), workload, rows)
    }

    /// Compares the last digest of each subject with that of the first that has one.
    private func compareDigests(
        _ racing: [Rival], of answers: BenchRequest.Answers, _ workload: Workload, _ rows: Int
    ) async {
        let rivals = racing.filter { $0.isAlive && $0.lastDigest != nil }
        guard let reference = rivals.first else { return }
        for rival in rivals.dropFirst() where rival.lastDigest != reference.lastDigest && !rival.differs {
            await findDifference(in: answers, workload, rows, rival, reference)
        }
    }

    private func takeResults() {
        for rival in rivals where !rival.result.workload.isEmpty {
            rival.result.digest = rival.digest.text
            let result = rival.result
            if !result.rounds.isEmpty || result.skipped != nil { comparison.results.append(result) }
            rival.result.workload = ""
        }
    }

    private func each(
        _ workload: Workload, _ rows: Int, _ body: (Rival) async -> Void
    ) async {
        for rival in alive where goesOn() { await body(rival) }
    }

    /// Whether the comparison continues.
    private func goesOn() -> Bool {
        if isInterrupted() { wasInterrupted = true }
        return !wasInterrupted && !alive.isEmpty
    }

    private func report(_ workload: Workload, _ rows: Int) {
        let perWorkload = settings.rounds * settings.rows.count
        let loads = workloads.count { $0.isLoad }
        let total =
            (workloads.count - loads) * perWorkload
            + loads * min(settings.rounds, CompareStorages.loadRoundsMax) * settings.rows.count
        progress(
            WorkProgress("\(workload.name), \(rows) rows", done: min(roundsDone, total), of: total))
    }
}

// MARK: - Requests

extension Race {
    /// Sends a request to a subject, which takes no further part if it fails.
    func ask(
        _ rival: Rival, _ request: BenchRequest, _ workload: Workload?, rows: Int
    ) async -> BenchReply {
        guard rival.isAlive else { return .done }
        do {
            let reply = try await rival.link.ask(request)
            if case .failed(let code, let message) = reply { throw PatchbayError(code, message) }
            return reply
        } catch {
            rival.isAlive = false
            note(error, rival.subject, workload, rows: rows)
            // Removes its files at once, because they may fill the disk.
            await rival.link.close()
            return .done
        }
    }

    private func note(_ error: any Error, _ subject: Subject, _ workload: Workload?, rows: Int) {
        let error = error as? PatchbayError ?? PatchbayError(.internalError, "\(error)")
        comparison.failures.append(
            SubjectFailure(
                subject: subject.name, workload: workload?.name, rows: rows, code: error.code,
                message: error.summary))
    }

    private func note(_ engine: String, _ rival: Rival) {
        let version = NameAndValue(rival.subject.storage, engine)
        if !comparison.versions.contains(version) { comparison.versions.append(version) }
    }
}
