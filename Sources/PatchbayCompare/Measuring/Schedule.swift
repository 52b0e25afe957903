/// Which turns of a workload come when, and when a round is over.
struct Schedule: Sendable {
    private let isLoad: Bool
    /// How many turns each round has; nil when the time decides.
    private let turnsARound: Int?
    private let seconds: Double
    /// 0 is the warm-up.
    private var round = 0
    /// Counts within the round.
    private(set) var turn = 0
    private var turnsBefore = 0

    init(_ workload: Workload, seconds: Double) {
        isLoad = workload.isLoad
        turnsARound = workload.turnsARound.map { turns in
            max(1, Int((Double(turns) * seconds / Workload.roundSeconds).rounded()))
        }
        self.seconds = seconds
    }

    var isWarmUp: Bool { round == 0 }

    /// What the next turn's operations follow from. Where the time decides how many turns a round has, the next round
    /// does not depend on that.
    var number: Int {
        if isLoad { return turn }
        return turnsARound == nil ? round * 1_000_000 + turn : turnsBefore + turn
    }

    /// Whether every run with these settings has the next turn: what it answers can be held against another run's.
    var isRepeatable: Bool { isLoad || turnsARound != nil || turn == 0 }

    mutating func beginRound() {
        turnsBefore += turn
        round += 1
        turn = 0
    }

    mutating func endTurn() { turn += 1 }

    /// - Parameters:
    ///   - nanoseconds: what the slowest subject has needed in this round.
    ///   - isLast: whether the workload has come to its end.
    func isOver(afterNanoseconds nanoseconds: Double, isLast: Bool) -> Bool {
        if isLoad { return isLast }
        if isWarmUp { return true }
        return turnsARound.map { turn + 1 >= $0 } ?? (nanoseconds >= seconds * 1e9)
    }
}
