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
    private let chosen = Mutex<[ListQuestion: Pages]>([:])

    /// Pages that fit together.
    private struct Pages {
        /// The answers by the links that lead to them; that of the first page is empty.
        let answers: [String: RecordedMoment]
        /// Whether the last of them ends the list.
        let isWhole: Bool
    }

    /// - Parameter fetch: returns a page, requested without a condition.
    init(fetch: @escaping @Sendable (ItemRequest) async throws -> ItemPage?) { self.fetch = fetch }

    /// Returns the answer that a page gets; nil when the recording has none for its list, or answers in order.
    ///
    /// - Throws: ``VoidCursor`` as the cause when the page follows one that was not chosen here, and `notFound` when
    ///   the recording has the page, but none that fits the pages before it.
    func answer(to request: ItemRequest) async throws -> RecordedMoment? {
        // The pages of an ordered list begin after a key, so that they fit together whenever they were recorded.
        guard request.question.after == 0 else { return nil }
        let answers = await answers(to: request), question = request.question
        guard let next = request.next else { return await begin(question, among: answers)?.answers[""] }
        var pages = chosen.withLock { $0[question] }
        if pages == nil, !answers.isEmpty {
            pages = await begin(question, among: self.answers(to: ItemRequest(question)))
        }
        guard let pages else { return nil }
        if let answer = pages.answers[next] { return answer }
        guard !answers.isEmpty else { return nil }
        if pages.isWhole {
            throw PatchbayError(
                .invalidValue, "the page is not one of those that were chosen", cause: VoidCursor())
        }
        var error = PatchbayError(
            .notFound,
            "the recording has the page after page \(pages.answers.count) of \"\(question.name)\" only from another "
                + "time, order, size or account; record the list again, from its first page to its last")
        error.isNotRecorded = true
        throw error
    }

    /// Returns a shortfall if the recorded request asked for fewer rows than the source does, and got that many.
    ///
    /// - Parameter answer: the answer that was chosen; nil when there was no choice.
    func shortfall(of page: ItemPage, _ request: ItemRequest, in answer: RecordedMoment?) async -> Shortfall?
    {
        let declaration = request.question.resource.declaration
        guard declaration.paging == .none || !declaration.isPagingDeclared, page.shortfall == nil else {
            return nil
        }
        let answer = if let answer { answer } else { await answers(to: request).first }
        guard let answer, !answer.isExact, answer.pageRows > 0, page.items.count >= answer.pageRows
        else { return nil }
        return Shortfall(
            .end,
            "the list may continue, because its request was recorded with a limit of \(answer.pageRows) and the "
                + "answer has that many; record the list again without it")
    }

    /// Chooses the pages of a list: of the requested size and order if those are whole, after the ones that were chosen
    /// before, and otherwise the last ones again.
    ///
    /// - Returns: nil when no page can be read.
    private func begin(_ question: ListQuestion, among answers: [RecordedMoment]) async -> Pages? {
        let former = chosen.withLock { $0[question]?.answers[""]?.number }
        var best: [Step] = [], isWhole = false, missing: [String: Int] = [:]
        search: for variant in Self.variants(answers) {
            let later = variant.filter { answer in former.map { answer.number > $0 } ?? true }
            let sooner = variant.filter { answer in former.map { answer.number <= $0 } ?? false }
            var last = Int.min
            for first in later + sooner.reversed()
            where first.number >= last || first.number <= former ?? .min {
                let way = await way(of: question, from: first, among: answers)
                last = max(last, way.successor ?? .min)
                isWhole = way.steps.last?.page.map { $0.next == nil } ?? false
                if way.steps.count > best.count || isWhole { best = way.steps }
                if isWhole { break search }
                // A page that was never recorded is missing after every first page.
                if let link = way.missing { missing[link, default: 0] += 1 }
                if missing.values.contains(where: { $0 > 1 }) { break }
            }
        }
        guard !best.isEmpty else { return nil }
        let pages = Pages(
            answers: Dictionary(best.map { ($0.link, $0.answer) }) { first, _ in first }, isWhole: isWhole)
        chosen.withLock { $0[question] = pages }
        return pages
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

    /// The pages from a first one as far as they fit together.
    private struct Way {
        /// None when another first page was recorded before the second one.
        var steps: [Step] = []
        /// The moment of the other first page.
        var successor: Int?
        /// The link to the page after the last one if that was never recorded.
        var missing: String?
    }

    private func way(
        of question: ListQuestion, from first: RecordedMoment, among answers: [RecordedMoment]
    ) async -> Way {
        var way = Way(steps: [Step(link: "", answer: first, answers: answers)])
        var links: Set<String> = [""]
        while let step = way.steps.last {
            way.steps[way.steps.count - 1].page = await read(step, of: question)
            guard let link = way.steps[way.steps.count - 1].page?.next, links.insert(link).inserted else {
                break
            }
            let found = await self.answers(to: ItemRequest(question, next: link))
            guard !found.isEmpty else {
                way.missing = link
                break
            }
            guard let next = await following(way.steps, at: link, among: found, of: question) else { break }
            way.steps.append(next)
            if let successor = Self.settle(&way.steps) { return Way(successor: successor) }
            if way.steps.last?.page == nil { links = Set(way.steps.map(\.link)) }
        }
        return way
    }

    /// The page that follows others: one that fits, and was recorded before the first page came again. Pages that were
    /// requested side by side may have been recorded in any order.
    private func following(
        _ steps: [Step], at link: String, among answers: [RecordedMoment], of question: ListQuestion
    ) async -> Step? {
        let first = steps[0], step = steps[steps.count - 1], number = step.answer.number
        let fitting = answers.filter { $0.fits(step.answer) }
        // Requests that differ only in secrets have the same answers.
        let isSame = answers.first?.number == first.answers.first?.number
        let again = first.answers.first { $0.number > first.answer.number && $0.fits(step.answer) }
        let end = isSame ? .max : again?.number ?? .max
        let inside = fitting.filter { (first.answer.number..<end).contains($0.number) }
        let before = fitting.filter { answer in
            answer.number < first.answer.number && step.answers.allSatisfy { $0.number > answer.number }
        }
        let candidates =
            inside.filter { $0.number > number } + inside.filter { $0.number < number }.reversed()
            + fitting.filter { $0.number >= end } + before.reversed()
        for answer in candidates {
            var next = Step(link: link, answer: answer, answers: answers)
            next.page = await read(next, of: question)
            if next.page != nil { return next }
        }
        return nil
    }

    /// Replaces pages before the last one by those that were recorded last before the page after them. The pages after
    /// a replaced one are left out, because it may lead to others.
    ///
    /// - Returns: the moment of another first page that would be the first; nil when there is none.
    private static func settle(_ steps: inout [Step]) -> Int? {
        while steps.count > 1 {
            let (former, next) = (steps[steps.count - 2], steps[steps.count - 1])
            let between = former.answers.last { answer in
                answer.number > former.answer.number && answer.number < next.answer.number
                    && answer.fits(next.answer)
                    && (steps.count < 3 || answer.fits(steps[steps.count - 3].answer))
            }
            guard let between else { return nil }
            guard steps.count > 2 else { return between.number }
            steps.removeLast(2)
            steps.append(Step(link: former.link, answer: between, answers: former.answers))
        }
        return nil
    }

    /// The recorded answers to a request.
    private func answers(to request: ItemRequest) async -> [RecordedMoment] {
        let step = RecordedStep(.look)
        // The step lets every request fail.
        _ = try? await RecordedStep.$current.withValue(step) { try await fetch(request) }
        return step.answers
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
