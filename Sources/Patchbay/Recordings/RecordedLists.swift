import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import Synchronization

/// Chooses the recorded pages of lists so that they fit together.
///
/// A recording by a browser often has the first page several times: reloaded, in another order, in another size, by
/// another account, or of another day. Pages that are chosen each for itself miss the rows that moved between them. So
/// the pages of a list are those that a reader could have read one after the other: of one account, in one order and
/// size, each the last before the page after it was requested.
final class RecordedLists: Sendable {
    private let fetch: @Sendable (ItemRequest) async throws -> ItemPage?
    private let chosen = Mutex<[ListQuestion: [String: RecordedMoment]]>([:])

    /// - Parameter fetch: returns a page, requested without a condition.
    init(fetch: @escaping @Sendable (ItemRequest) async throws -> ItemPage?) { self.fetch = fetch }

    /// The maximum number of first pages that are tried.
    private static let beginningsMax = 1_000

    /// Returns the answer that a page gets; nil when the recording has no choice, and answers in order.
    ///
    /// - Throws: ``VoidCursor`` as the cause when the page follows one that was not chosen here, and `notFound` when
    ///   the recording has the page, but none that fits the pages before it.
    func answer(to request: ItemRequest) async throws -> RecordedMoment? {
        // The pages of an ordered list begin after a key, so that they fit together whenever they were recorded.
        guard request.question.after == 0 else { return nil }
        let seen = await answers(to: request), question = request.question
        guard let next = request.next else {
            return seen.isRepeated ? await begin(question, among: seen.answers) : nil
        }
        let pages = chosen.withLock { $0[question] }
        if let answer = pages?[next] { return answer }
        guard seen.isRepeated, !seen.answers.isEmpty else { return nil }
        guard let pages else {
            throw PatchbayError(
                .invalidValue, "the page is not one of those that were chosen", cause: VoidCursor())
        }
        var error = PatchbayError(
            .notFound,
            "the recording has the page after page \(pages.count) of \"\(question.name)\" only from another time, "
                + "order, size or account; record the list again, from its first page to its last")
        error.isNotRecorded = true
        throw error
    }

    /// Returns a shortfall if the recorded request asked for fewer rows than the source does, and got that many.
    ///
    /// - Parameter answer: the answer that was chosen; nil when there was no choice.
    func shortfall(of page: ItemPage, _ request: ItemRequest, in answer: RecordedMoment?) async -> Shortfall?
    {
        guard request.question.resource.declaration.paging == .none, page.shortfall == nil else { return nil }
        let answer = if let answer { answer } else { await answers(to: request).answers.first }
        guard let answer, !answer.isExact, answer.pageRows > 0, page.items.count >= answer.pageRows
        else { return nil }
        return Shortfall(
            .end,
            "the list may continue, because its request was recorded with a limit of \(answer.pageRows) and the "
                + "answer has that many; record the list again without it")
    }

    /// Chooses the pages of a list and returns the first: of the requested size and order if those are whole, the next
    /// after the one that was chosen before, and otherwise the last one again.
    private func begin(_ question: ListQuestion, among answers: [RecordedMoment]) async -> RecordedMoment? {
        let former = chosen.withLock { $0[question]?[""] }
        var best: [Step] = []
        search: for variant in Self.variants(answers) {
            let later = variant.filter { answer in former.map { answer.number > $0.number } ?? true }
            let sooner = variant.filter { answer in former.map { answer.number <= $0.number } ?? false }
            for first in (later + sooner.reversed()).prefix(Self.beginningsMax) {
                let steps = await steps(of: question, from: first, among: answers)
                let isWhole = steps.last?.page.map { $0.next == nil } ?? false
                if steps.count > best.count || isWhole { best = steps }
                if isWhole { break search }
            }
        }
        let pages = Dictionary(best.map { ($0.link, $0.answer) }) { first, _ in first }
        chosen.withLock { $0[question] = pages }
        return pages[""]
    }

    /// The first pages by size and order: those that were recorded as they are requested, then those with the most
    /// rows, each in the order of their moments.
    private static func variants(_ answers: [RecordedMoment]) -> [[RecordedMoment]] {
        var variants: [[RecordedMoment]] = []
        for answer in answers {
            if let place = variants.firstIndex(where: { $0[0].isSameVariant(as: answer) }) {
                variants[place].append(answer)
            } else {
                variants.append([answer])
            }
        }
        return variants.enumerated().sorted { left, right in
            let (a, b) = (left.element[0], right.element[0])
            if a.isExact != b.isExact { return a.isExact }
            return a.pageRows == b.pageRows ? left.offset < right.offset : a.pageRows > b.pageRows
        }.map(\.element)
    }

    /// A page on the way, and the answers that its request has.
    private struct Step {
        let link: String
        var answer: RecordedMoment
        let answers: [RecordedMoment]
        /// Nil when it has not been read, or cannot be.
        var page: ItemPage?
    }

    /// Follows a list from a first page as far as the pages fit together.
    ///
    /// - Returns: no steps when another first page was recorded before the second one.
    private func steps(
        of question: ListQuestion, from first: RecordedMoment, among answers: [RecordedMoment]
    ) async -> [Step] {
        var steps = [Step(link: "", answer: first, answers: answers)]
        var links: Set<String> = [""]
        while let step = steps.last {
            steps[steps.count - 1].page = await read(step, of: question)
            guard let link = steps[steps.count - 1].page?.next, links.insert(link).inserted,
                let next = await following(step, at: link, of: question)
            else { break }
            steps.append(next)
            guard Self.settle(&steps) else { return [] }
            if steps.last?.page == nil { links = Set(steps.map(\.link)) }
        }
        return steps
    }

    /// The page that follows another: the first one after it that fits. One that was requested before it, such as by a
    /// browser that loads pages side by side, follows if the recording has no page that it could follow instead.
    private func following(_ step: Step, at link: String, of question: ListQuestion) async -> Step? {
        let answers = await answers(to: ItemRequest(question, next: link)).answers
        let fitting = answers.filter { $0.fits(step.answer) }
        let later = fitting.filter { $0.number > step.answer.number }
        let sooner = fitting.filter { answer in
            answer.number < step.answer.number && step.answers.allSatisfy { $0.number > answer.number }
        }
        for answer in later + sooner.reversed() {
            var next = Step(link: link, answer: answer, answers: answers)
            next.page = await read(next, of: question)
            if next.page != nil { return next }
        }
        return nil
    }

    /// Replaces pages before the last one by those that were recorded last before the page after them. The pages after
    /// a replaced one are left out, because it may lead to others.
    ///
    /// - Returns: false when the first page would be another one.
    private static func settle(_ steps: inout [Step]) -> Bool {
        while steps.count > 1 {
            let (former, next) = (steps[steps.count - 2], steps[steps.count - 1])
            let between = former.answers.last { answer in
                answer.number > former.answer.number && answer.number < next.answer.number
                    && answer.fits(next.answer)
                    && (steps.count < 3 || answer.fits(steps[steps.count - 3].answer))
            }
            guard let between else { return true }
            guard steps.count > 2 else { return false }
            steps.removeLast(2)
            steps.append(Step(link: former.link, answer: between, answers: former.answers))
        }
        return true
    }

    /// The recorded answers to a request.
    private func answers(to request: ItemRequest) async -> RecordedStep.Seen {
        let step = RecordedStep(.none)
        // The step lets every request fail.
        _ = try? await RecordedStep.$current.withValue(step) { try await fetch(request) }
        return step.seen
    }

    /// The page in a recorded answer; nil when the source cannot read it, or reports a failure in it.
    private func read(_ step: Step, of question: ListQuestion) async -> ItemPage? {
        if let page = step.page { return page }
        let request = ItemRequest(question, next: step.link.isEmpty ? nil : step.link)
        // An answer without a page is passed over for another one, or reported when it is the only one.
        return try? await RecordedStep.$current.withValue(RecordedStep(.answer(step.answer.number))) {
            try await fetch(request)
        }
    }
}
