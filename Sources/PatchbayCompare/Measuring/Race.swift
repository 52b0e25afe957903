import PatchbayCore

/// A running comparison.
struct Race {
    let workloads: [Workload]
    var comparison: Comparison
    let isInterrupted: @Sendable () -> Bool
    let progress: WorkProgress.Handler
    var rivals: [Rival] = []
    var clock = RaceClock()
    var wasInterrupted = false

    private var settings: CompareSettings { comparison.settings }
    private var alive: [Rival] { rivals.filter(\.isAlive) }
    /// The subjects that can run the current workload.
    private var racing: [Rival] { alive.filter { $0.result.skipped == nil } }

    mutating func add(_ setup: BenchSetup, _ place: MeasuringPlace) async {
        do {
            let rival = Rival(setup.subject, try place.link())
            rivals.append(rival)
            _ = await send(rival, .setUp(setup))
        } catch {
            note(error, setup.subject)
        }
    }

    mutating func run() async {
        clock = RaceClock(seconds: settings.seconds, workloads: workloads.count * settings.rows.count)
        for rows in settings.rows { await run(rows: rows) }
        comparison.isComplete = !wasInterrupted && comparison.failures.isEmpty
    }

    /// Makes all subjects remove their files.
    mutating func end() async {
        for rival in alive { _ = await send(rival, .end) }
        for rival in rivals { await rival.link.close() }
    }

    private mutating func run(rows: Int) async {
        let isLoadWanted = workloads.contains(where: \.isLoad)
        await run(.load, rows: rows, roundsMax: isLoadWanted ? settings.roundsMax : 1)
        if isLoadWanted { takeResults() }
        for workload in workloads where !workload.isLoad {
            if shouldContinue() { await run(workload, rows: rows, roundsMax: settings.roundsMax) }
            takeResults()
        }
    }

    /// Runs a workload on all subjects; one that fills the storage begins with an empty one.
    private mutating func run(_ workload: Workload, rows: Int, roundsMax: Int) async {
        if workloads.contains(where: { $0.name == workload.name }) { clock.beginWorkload() }
        for rival in alive { rival.begin(workload, rows: rows) }
        for rival in alive where shouldContinue() {
            let reply = await send(rival, .prepare(workload: workload.name, rows: rows))
            guard case .prepared(let engine, let refusal) = reply else { continue }
            rival.result.skipped = refusal
            guard let engine else { continue }
            let version = NameAndValue(rival.subject.storage, engine)
            if !comparison.versions.contains(version) { comparison.versions.append(version) }
        }
        var schedule = Schedule(workload, seconds: settings.roundSeconds(subjects: racing.count))
        let task = "\(workload.name), \(rows) rows"
        if !workload.isLoad { await round(task, &schedule) }
        for number in 1...roundsMax where shouldContinue() {
            schedule.beginRound()
            await round(task, &schedule)
            if settings.rounds == nil, clock.isOver || isDecided(after: number) { break }
        }
        if shouldContinue() { await finish() }
    }

    /// Whether the rounds so far show how the speed of each subject compares with that of the fastest.
    private func isDecided(after rounds: Int) -> Bool {
        guard CompareSettings.looks.contains(rounds) else { return false }
        return comparison.group(racing.map(\.result)).isDecided
    }

    private mutating func round(_ task: String, _ schedule: inout Schedule) async {
        let racing = racing
        for rival in racing {
            rival.roundNanoseconds = 0
            _ = await send(rival, .beginRound)
        }
        var isOver = racing.isEmpty
        while !isOver, shouldContinue() {
            progress(WorkProgress(task, done: clock.seconds, of: Int(settings.seconds.rounded(.up))))
            let isLast = await turn(schedule)
            let longest = racing.map(\.roundNanoseconds).max() ?? 0
            isOver = schedule.isOver(afterNanoseconds: longest, isLast: isLast)
            schedule.endTurn()
        }
        for rival in racing where rival.isAlive {
            let reply = await send(rival, .endRound)
            guard case .round(let round) = reply, isOver, !schedule.isWarmUp else { continue }
            rival.result.rounds.append(round)
        }
    }

    /// Runs a turn of each subject, starting with a different one each time; true when the workload has ended.
    private mutating func turn(_ schedule: Schedule) async -> Bool {
        let racing = racing
        guard !racing.isEmpty else { return true }
        let first = schedule.rotation % racing.count
        var isLast = true
        for rival in racing[first...] + racing[..<first] {
            let reply = await send(rival, .turn(number: schedule.number))
            guard case .turn(let nanoseconds, let digest, let hasEnded) = reply else { continue }
            rival.roundNanoseconds += nanoseconds
            rival.take(digest, isRepeatable: schedule.isRepeatable)
            isLast = hasEnded
        }
        await compareDigests(racing, of: .lastTurn)
        return isLast
    }

    private mutating func finish() async {
        let racing = racing
        for rival in racing {
            let reply = await send(rival, .finish)
            guard case .finished(let bytesOnDisk, let digest) = reply else { continue }
            rival.result.bytesOnDisk = bytesOnDisk
            rival.take(digest, isRepeatable: true)
        }
        await compareDigests(racing, of: .collection(0))
    }

    /// Compares the last digest of each subject with that of the first that has one.
    private mutating func compareDigests(_ racing: [Rival], of answers: BenchRequest.Answers) async {
        let rivals = racing.filter { $0.isAlive && $0.lastDigest != nil }
        guard let reference = rivals.first else { return }
        for rival in rivals.dropFirst() where rival.lastDigest != reference.lastDigest && !rival.differs {
            await findDifference(in: answers, rival, reference)
        }
    }

    private mutating func takeResults() {
        for rival in rivals where !rival.result.workload.isEmpty {
            var result = rival.result
            result.digest = rival.digests.digest?.hexadecimal
            if !result.rounds.isEmpty || result.skipped != nil { comparison.results.append(result) }
            rival.result = WorkloadResult()
        }
    }

    /// Whether the comparison continues.
    private mutating func shouldContinue() -> Bool {
        if isInterrupted() { wasInterrupted = true }
        return !wasInterrupted && !alive.isEmpty
    }

    // MARK: Requests

    /// Sends a request to a subject, which takes no further part if it fails.
    private mutating func send(_ rival: Rival, _ request: BenchRequest) async -> BenchReply {
        guard rival.isAlive else { return .done }
        do {
            let reply = try await rival.link.send(request)
            if case .failed(let code, let message) = reply { throw PatchbayError(code, message) }
            return reply
        } catch {
            rival.isAlive = false
            // Ctrl-C also reaches a process that has only just started and does not ignore it yet.
            if !isInterrupted() { note(error, rival.subject, in: rival.result) }
            // Removes its files at once, because they may fill the disk.
            await rival.link.close()
            return .done
        }
    }

    /// - Parameter result: the measurements of the workload in which the subject failed, if it failed in one.
    private mutating func note(
        _ error: any Error, _ subject: Subject, in result: WorkloadResult = WorkloadResult()
    ) {
        let error = error as? PatchbayError ?? PatchbayError(.internalError, "\(error)")
        comparison.failures.append(
            SubjectFailure(
                subject: subject.name, workload: result.workload.isEmpty ? nil : result.workload,
                rows: result.rows, code: error.code, message: error.summary))
    }

    /// Finds the first part of some answers that two subjects answered differently; from a collection on, the first
    /// row that differs in this or a later one.
    private mutating func findDifference(
        in answers: BenchRequest.Answers, _ rival: Rival, _ reference: Rival
    ) async {
        guard case .digests(let expected) = await send(reference, .digests(of: answers)),
            case .digests(let found) = await send(rival, .digests(of: answers)),
            // The last collection was the one before.
            !expected.isEmpty
        else { return }
        guard expected != found else {
            guard case .collection(let number) = answers else { return }
            return await findDifference(in: .collection(number + 1), rival, reference)
        }
        let request = BenchRequest.rows(of: answers, part: zip(expected, found).prefix(while: ==).count)
        guard case .rows(let query, let expectedRows) = await send(reference, request),
            case .rows(_, let foundRows) = await send(rival, request)
        else { return }
        var difference = Difference(expectedRows, foundRows)
        difference.workload = rival.result.workload
        difference.rows = rival.result.rows
        difference.subject = rival.subject.name
        difference.reference = reference.subject.name
        difference.query = query
        rival.differs = true
        comparison.differences.append(difference)
    }
}

/// The time of a comparison, divided among its workloads.
struct RaceClock {
    private let start = ContinuousClock.now
    private let end: ContinuousClock.Instant
    private var workloadsLeft: Int
    private var workloadEnd: ContinuousClock.Instant

    init(seconds: Double = 0, workloads: Int = 0) {
        end = start + .seconds(seconds)
        workloadEnd = end
        workloadsLeft = workloads
    }

    /// Gives the next workload its part of the time that is left.
    mutating func beginWorkload() {
        let now = ContinuousClock.now
        workloadEnd = now + max(.zero, end - now) / max(1, workloadsLeft)
        workloadsLeft -= 1
    }

    /// Whether the time of the workload is over.
    var isOver: Bool { ContinuousClock.now >= workloadEnd }

    /// The whole seconds since the start, at most all of them.
    var seconds: Int { Int((min(ContinuousClock.now, end) - start) / .seconds(1)) }
}

/// One subject in a running comparison.
final class Rival {
    let subject: Subject
    let link: any BenchLink
    /// False after this subject failed; the comparison continues with the others.
    var isAlive = true

    // State of the current workload.
    var result = WorkloadResult()
    /// The digests that every run with the same settings has.
    private(set) var digests: [UInt64] = []
    /// The digest of the answers of the last turn, or of the collections at the end.
    private(set) var lastDigest: UInt64?
    /// The duration of its turns in this round.
    var roundNanoseconds = 0.0
    /// Whether a difference has been reported.
    var differs = false

    init(_ subject: Subject, _ link: any BenchLink) {
        self.subject = subject
        self.link = link
    }

    func begin(_ workload: Workload, rows: Int) {
        result = WorkloadResult(
            workload: workload.name, summary: workload.summary, subject: subject.name, rows: rows,
            tolerance: workload.tolerance)
        digests = []
        lastDigest = nil
        differs = false
    }

    /// - Parameter isRepeatable: whether every run with the same settings has this digest; only then the digest of the
    ///   result includes it.
    func take(_ digest: UInt64?, isRepeatable: Bool) {
        if isRepeatable, let digest { digests.append(digest) }
        lastDigest = digest
    }
}
