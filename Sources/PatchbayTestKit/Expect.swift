package import PatchbayCore

/// Breaks the promise when two values differ or only one of them is nil.
func expect<Value: Equatable>(
    _ got: Value?, equals expected: Value?, _ steps: @autoclosure () -> String
) throws {
    guard got != expected else { return }
    func shown(_ value: Value?) -> String { value.map { "\($0)" } ?? "nothing" }
    throw BrokenPromise("\(steps()): expected \(shown(expected)), got \(shown(got))")
}

/// Breaks the promise when two lists of rows differ; the message contains the first difference.
func expect(
    rows got: [Values], equal expected: [Values], _ steps: @autoclosure () -> String
) throws {
    guard got != expected else { return }
    let place =
        zip(got, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        ?? min(got.count, expected.count)
    func row(_ rows: [Values]) -> String { place < rows.count ? "\(rows[place])" : "no row" }
    let counts =
        got.count != expected.count
        ? "expected \(expected.count) rows, got \(got.count)"
        : got.allSatisfy(expected.contains) && expected.allSatisfy(got.contains)
            ? "the \(got.count) rows came in another order" : "the \(got.count) rows are not those expected"
    throw BrokenPromise(
        "\(steps()): \(counts); row \(place) should be \(row(expected)), but is \(row(got))")
}

/// Breaks the promise unless the call throws a ``PatchbayError`` with one of the codes.
func expectRefusal<Result>(
    _ codes: PatchbayError.Code..., of steps: String, _ call: () async throws -> Result
) async throws {
    let wanted = codes.map { "\"\($0)\"" }.joined(separator: " or ")
    do {
        _ = try await call()
    } catch let error as PatchbayError {
        if codes.contains(error.code) { return }
        throw BrokenPromise("\(steps): expected an error \(wanted), got another", cause: error)
    } catch {
        throw BrokenPromise("\(steps): expected a PatchbayError \(wanted), got another kind", cause: error)
    }
    throw BrokenPromise("\(steps): expected an error \(wanted), but it was accepted")
}

/// Breaks the promise unless the call throws a ``PatchbayError`` with one of the codes, inside a transaction.
func expectRefusal(
    _ codes: PatchbayError.Code..., of steps: String, inTransaction call: () throws -> Void
) throws {
    let wanted = codes.map { "\"\($0)\"" }.joined(separator: " or ")
    do {
        try call()
    } catch let error as PatchbayError {
        if codes.contains(error.code) { return }
        throw BrokenPromise("\(steps): expected an error \(wanted), got another", cause: error)
    }
    throw BrokenPromise("\(steps): expected an error \(wanted), but it was accepted")
}

/// Ends a write with an error after `body`, and breaks the promise unless the caller gets that error.
func expectRollback(
    of storage: any Storage, _ steps: String = "a transaction that throws",
    after body: @Sendable (any StorageWriter) throws -> Void
) async throws {
    try await expectRefusal(.notFound, of: steps) {
        try await storage.write { writer in
            try body(writer)
            throw PatchbayError(.notFound, "rolled back by the test")
        }
    }
}

/// Returns the `PatchbayError` that a block throws, or nil when it throws none. For tests of this package.
package func fault<Result>(_ body: () async throws -> Result) async -> PatchbayError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PatchbayError
    }
}

/// The error thrown for a storage or source that does not keep a promise.
public struct BrokenPromise: Error, Sendable, CustomStringConvertible {
    /// The sentence of the promise; empty until ``StorageConformance/check(_:)`` fills it in.
    public internal(set) var promise: String
    /// The expected and the actual result, and the steps that led to it.
    public let message: String
    /// The unexpected error, if one was thrown.
    public let cause: (any Error)?

    init(_ message: String, cause: (any Error)? = nil) {
        self.promise = ""
        self.message = message
        self.cause = cause
    }

    /// The promise, how it was broken, and the unexpected error if there was one, on one line.
    public var description: String {
        "broken promise \"\(promise)\": \(message)" + (cause.map { "; thrown: \($0)" } ?? "")
    }
}

/// Thrown by a check that cannot run with this storage although its features require the check.
struct CannotCheck: Error {
    let reason: String
}
