public import PatchbayCore
import PatchbayDomain
import Synchronization

/// What scripted sources share: they write down what they were asked, validate, and fail on command.
public final class ScriptedAnswers: Sendable {
    private struct State {
        var requests: [String] = []
        var failure: PatchbayError?
        var answersBeforeFailure = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// What was asked so far, each with `if changed` when conditional.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Fails every request, after so many more answers; nil lets them pass again.
    public func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        state.withLock {
            $0.failure = error
            $0.answersBeforeFailure = count
        }
    }

    /// The answer to a question: unchanged when the validator is that of the value.
    func answer<Value: Hashable & Sendable>(
        _ question: String, _ validator: Validator, _ value: () throws -> Value
    ) throws -> Fetched<Value> {
        try state.withLock { state in
            state.requests.append(question + (validator.entityTag == nil ? "" : " if changed"))
            if let failure = state.failure {
                guard state.answersBeforeFailure > 0 else { throw failure }
                state.answersBeforeFailure -= 1
            }
        }
        let value = try value()
        let entityTag = "\"\(value.hashValue)\""
        return validator.entityTag == entityTag
            ? .unchanged : .changed(value, Validator(entityTag: entityTag))
    }

    /// A page of a list whose pages are called `NAME page 2` and so on.
    func page<Item: Hashable & Sendable>(
        _ number: Int, of items: [Item], called name: String, size: Int
    ) -> Page<Item> {
        let shown = Array(items.dropFirst((number - 1) * size).prefix(size))
        let count = (items.count + size - 1) / size
        return Page(
            shown, next: number < count ? "\(name) page \(number + 1)" : nil, isFull: shown.count == size,
            pageCount: number < count ? Int64(count) : nil)
    }
}

/// A link of a scripted list, taken apart: `NAME page 2`.
struct ScriptedLink {
    let name: String
    let page: Int

    init(_ link: String) throws {
        guard let range = link.ranges(of: " page ").last, let page = Int(link[range.upperBound...]) else {
            throw PatchbayError(.invalidResponse, "\"\(link)\" is no page")
        }
        name = String(link[..<range.lowerBound])
        self.page = page
    }
}
