import PatchbayCore
import PatchbayDomain

/// The outcome of a request for one row of many.
private enum RowOutcome<Value: Sendable>: Sendable {
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
            || !isStorageRefusal
                && [.notFound, .unsupported, .invalidResponse, .invalidValue, .permissionDenied].contains(
                    code)
    }

    /// Whether the server answered, but with a failure of its own such as 500. It may answer other requests.
    var isServerFailure: Bool { code == .offline && status != nil }

    /// The error that ends a sync because the server failed for several rows or lists in a row.
    var ofServerDown: PatchbayError {
        PatchbayError(
            code,
            "the server failed \(SkippedRows.failuresMax) times in a row, so the sync stopped: \(message); stored rows "
                + "are kept, and the next sync requests what is missing",
            details, cause: cause)
    }
}

/// Sends requests for many rows, and counts consecutive rows that the source did not return.
struct SkippedRows {
    /// After this many consecutive useless answers, something other than a row is wrong.
    static let inRowMax = 20
    /// After this many consecutive failures of the server, it is down.
    static let failuresMax = 3

    private var inRow = 0
    private var failuresInRow = 0
    /// The first failure of the server, or answer that cannot be read, which ends the sync when nothing else is left to
    /// do.
    private(set) var failure: PatchbayError?
    /// Whether the source has answered one of the requests.
    var hasAnswer = false
    private var hasUseless = false
    private var refused = 0
    private var firstRefusal: (name: String, error: PatchbayError)?

    /// The first refusal with a status, and the number of all; nil when the source has answered a request, or the few
    /// refusals may concern only their rows.
    var refusalOfAll: (name: String, error: PatchbayError, count: Int)? {
        guard !hasAnswer, hasUseless || refused >= Self.inRowMax, let first = firstRefusal else {
            return nil
        }
        return (first.name, first.error, refused)
    }

    var isDown: Bool { failuresInRow >= Self.failuresMax }

    /// Sends a request for each input, up to `width` at a time, and reports those that the source refuses.
    ///
    /// - Parameters:
    ///   - name: the name of an input in reports.
    ///   - take: called with each result, in the order of the inputs.
    /// - Returns: the inputs that the source refused.
    /// - Throws: the error that ends the sync, after all results were taken.
    @discardableResult
    mutating func request<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], atMost width: Int, _ progress: inout SyncProgress, _ report: (SyncEvent) -> Void,
        name: (Input) -> String, _ work: @escaping @Sendable (Input) async throws -> Output,
        take: (Output, inout SyncProgress) -> Void
    ) async throws -> [(input: Input, error: PatchbayError)] {
        let outcomes = await concurrently(
            inputs, atMost: width, isEnough: { isEnough($0) },
            { input in await RowOutcome { try await work(input) } })
        var failure: (any Error)?, refused: [(input: Input, error: PatchbayError)] = []
        for (input, outcome) in zip(inputs, outcomes) {
            guard let outcome else { continue }
            switch outcome {
            case .done(let output): take(output, &progress)
            case .skipped(let error): refused.append((input, error))
            case .failed, .over: break
            }
            let error = note(outcome, of: name(input), &progress, report)
            // Requests cancelled because of an error are not its cause.
            if failure == nil || failure is CancellationError { failure = error ?? failure }
        }
        if let failure { throw failure }
        try Task.checkCancellation()
        return refused
    }

    /// Takes the outcomes in the order in which they arrive.
    ///
    /// - Returns: whether no more requests should be sent.
    private mutating func isEnough<Value>(_ outcome: RowOutcome<Value>) -> Bool {
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
    private mutating func note<Value>(
        _ outcome: RowOutcome<Value>, of name: String, _ progress: inout SyncProgress,
        _ report: (SyncEvent) -> Void
    ) -> (any Error)? {
        progress.requests += 1
        switch outcome {
        case .done:
            inRow = 0
            hasAnswer = true
            return nil
        case .skipped(let error):
            progress.skipped += 1
            // What a recording lacks is unsupported, too, but without a status.
            let isUseless =
                error.refusal == nil
                && ([.invalidResponse, .permissionDenied].contains(error.code)
                    || [.unsupported, .invalidValue].contains(error.code) && error.status != nil)
            if error.status != nil {
                refused += 1
                firstRefusal = firstRefusal ?? (name, error)
                hasUseless = hasUseless || isUseless
            }
            inRow = isUseless ? inRow + 1 : 0
            // It may have rows that the definition does not fit.
            if error.code == .invalidResponse { failure = failure ?? error }
            report(.skipped(name, error))
            return inRow < Self.inRowMax ? nil : error
        case .failed(let error):
            progress.skipped += 1
            failure = failure ?? error
            report(.skipped(name, error))
            return isDown ? error.ofServerDown : nil
        case .over(let error):
            return error
        }
    }
}
