package import PatchbayCore
import PatchbayDomain
import Synchronization

/// The requests that a scripted feed has received, and the failures that a test has set.
package final class ScriptedAnswers: Sendable {
    private struct State {
        var requests: [String] = []
        var failure: PatchbayError?
        var answersBeforeFailure = 0
    }

    private let state = Mutex(State())

    /// Creates a record without requests and failures; one may be shared by several feeds.
    package init() {}

    /// The requests so far; conditional ones end in `if changed`.
    package var requests: [String] { state.withLock { $0.requests } }

    /// Makes every request fail after the given number of further answers; nil makes them succeed again.
    package func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        state.withLock {
            $0.failure = error
            $0.answersBeforeFailure = count
        }
    }

    /// Returns the answer to a request, which is `unchanged` when the validator belongs to the value.
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
}

/// A parsed link of a scripted list: `NAME page 2`.
struct ScriptedLink {
    let name: String
    let number: Int

    init(_ link: String) throws {
        guard let range = link.ranges(of: " page ").last, let number = Int(link[range.upperBound...]) else {
            throw ScriptedFeed.invalid(link)
        }
        name = String(link[..<range.lowerBound])
        self.number = number
    }
}

/// A page of the source.
struct ScriptedPage: Hashable, Sendable {
    var rows: [ScriptedFeed.Row]
    var next: String?
    var isFull: Bool
    var pageCount: Int64?
    var total: Int64?
    var isIncomplete = false
    var cap: Int64?

    init(_ rows: [ScriptedFeed.Row], next: String?, size: Int) {
        self.rows = rows
        self.next = next
        isFull = rows.count == size
    }

    func items(of resource: Resource) throws -> ItemPage {
        var page = ItemPage(try rows.map { try ScriptedFeed.item($0, of: resource) }, next: next)
        page.isFull = isFull
        page.pageCount = pageCount
        page.total = total
        page.isIncomplete = isIncomplete
        page.cap = cap
        return page
    }
}
