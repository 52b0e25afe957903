/// The turns of a workload, and the end of each round.
struct Schedule: Sendable {
    private let isLoad: Bool
    /// The number of turns in each round; nil when time decides.
    private let turnsARound: Int?
    private let seconds: Double
    /// The number of the round; 0 is the warm-up.
    private var round = 0
    /// The number of the turn in its round.
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

    /// The number that determines the operations of the next turn. Where time decides the number of turns in a round,
    /// the next round does not depend on it.
    var number: Int {
        if isLoad { return turn }
        return turnsARound == nil ? round * 1_000_000 + turn : turnsBefore + turn
    }

    /// The number of turns and rounds before, by which the subjects take turns in being the first.
    var rotation: Int { round + turn }

    /// Whether every run with these settings has the next turn, so that its answers can be compared between runs.
    var isRepeatable: Bool { isLoad || turnsARound != nil || turn == 0 }

    mutating func beginRound() {
        turnsBefore += turn
        round += 1
        turn = 0
    }

    mutating func endTurn() { turn += 1 }

    /// - Parameters:
    ///   - nanoseconds: the time of the slowest subject in this round.
    ///   - isLast: whether the workload has ended.
    func isOver(afterNanoseconds nanoseconds: Double, isLast: Bool) -> Bool {
        if isLoad { return isLast }
        if isWarmUp { return true }
        return turnsARound.map { turn + 1 >= $0 } ?? (nanoseconds >= seconds * 1e9)
    }
}
