import PatchbayCore
import PatchbayDomain

/// What came of a request that concerns one row of many.
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
    /// Whether the error may concern one row, or one list, and not what is requested next.
    var isAboutRow: Bool {
        refusal != nil
            || [.notFound, .unsupported, .invalidResponse, .invalidValue, .permissionDenied].contains(code)
    }
}

/// The rows that a source did not return, one after another.
struct SkippedRows {
    /// After so many useless answers in a row something else is wrong than a row.
    static let inRowMax = 20

    private var inRow = 0

    /// Notes the outcome of a request.
    ///
    /// - Returns: the error that ends it all; nil when the next row may be requested.
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
