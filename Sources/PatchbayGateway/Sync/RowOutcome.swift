import PatchbayCore
import PatchbayDomain

/// The outcome of a request for one row of many.
enum RowOutcome<Value: Sendable>: Sendable {
    case done(Value)
    /// The error concerns this row only.
    case skipped(PatchbayError)
    /// The next request would fail the same way: a rate limit, a lost connection.
    case over(any Error)

    init(of work: () async throws -> Value) async {
        do {
            self = .done(try await work())
        } catch let error as PatchbayError where error.isAboutRow {
            self = .skipped(error)
        } catch {
            self = .over(error)
        }
    }

    var isOver: Bool { if case .over = self { true } else { false } }
}

extension PatchbayError {
    /// Whether the error may concern only one row or list, so that the next request may succeed.
    var isAboutRow: Bool {
        refusal != nil
            || [.notFound, .unsupported, .invalidResponse, .invalidValue, .permissionDenied].contains(code)
    }
}

/// Counts consecutive rows that a source did not return.
struct SkippedRows {
    /// After this many consecutive useless answers, something other than a row is wrong.
    static let inRowMax = 20

    private var inRow = 0

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
        case .over(let error):
            return error
        }
    }
}
