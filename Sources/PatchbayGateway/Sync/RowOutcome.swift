import PatchbayCore
import PatchbayDomain

/// The outcome of a request for one row of many.
enum RowOutcome<Value: Sendable>: Sendable {
    case done(Value)
    /// The error concerns this row only.
    case skipped(PatchbayError)
    /// The server failed to answer, perhaps only for this row.
    case failed(PatchbayError)
    /// The next request would fail the same way: a rate limit, a lost connection.
    case over(any Error)

    init(of work: () async throws -> Value) async {
        do {
            self = .done(try await work())
        } catch let error as PatchbayError where error.isAboutRow {
            self = .skipped(error)
        } catch let error as PatchbayError where error.isServerFailure {
            self = .failed(error)
        } catch {
            self = .over(error)
        }
    }
}

extension PatchbayError {
    /// Whether the error may concern only one row or list, so that the next request may succeed.
    var isAboutRow: Bool {
        refusal != nil
            || [.notFound, .unsupported, .invalidResponse, .invalidValue, .permissionDenied].contains(code)
    }

    /// Whether the server answered, but with a failure of its own such as 500. It may answer other requests.
    var isServerFailure: Bool { code == .offline && status != nil }
}

/// Counts consecutive rows that a source did not return.
struct SkippedRows {
    /// After this many consecutive useless answers, something other than a row is wrong.
    static let inRowMax = 20
    /// After this many consecutive failures of the server, it is down.
    static let failuresMax = 3

    private var inRow = 0
    private var failuresInRow = 0
    /// The first failure of the server, which ends the sync when nothing else is left to do.
    private(set) var failure: PatchbayError?

    private var isDown: Bool { failuresInRow >= Self.failuresMax }

    /// Takes the outcomes in the order in which they arrive.
    ///
    /// - Returns: whether no more requests should be sent.
    mutating func isEnough<Value>(_ outcome: RowOutcome<Value>) -> Bool {
        switch outcome {
        case .done, .skipped: if !isDown { failuresInRow = 0 }
        case .failed: failuresInRow += 1
        case .over: return true
        }
        return isDown
    }

    /// Counts the outcome of a request.
    ///
    /// - Returns: the error that ends the sync; nil when the next row may be requested.
    mutating func note<Value>(
        _ outcome: RowOutcome<Value>, of name: String, _ progress: inout SyncProgress,
        _ report: (SyncEvent) -> Void
    ) -> (any Error)? {
        progress.requests += 1
        switch outcome {
        case .done:
            inRow = 0
            return nil
        case .skipped(let error):
            progress.skipped += 1
            let isUseless =
                error.refusal == nil && [.invalidResponse, .permissionDenied].contains(error.code)
            inRow = isUseless ? inRow + 1 : 0
            report(.skipped(name, error))
            return inRow < Self.inRowMax ? nil : error
        case .failed(let error):
            progress.skipped += 1
            failure = failure ?? error
            report(.skipped(name, error))
            return isDown ? error : nil
        case .over(let error):
            return error
        }
    }
}
