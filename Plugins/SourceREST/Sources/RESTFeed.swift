import HTTPTypes
import PatchbayCore
package import PatchbayDomain

/// Fetches rows of a definition's resources over any networking.
///
/// Redirects, retries, credentials and rate limits are handled by the layers below.
///
/// - An answer that does not match the definition throws `invalidResponse` with resource, address, row, field and the
///   beginning of the value.
/// - Only the API itself causes `notFound`. A request that is missing in a recording throws `unsupported`, so that a
///   row does not count as removed because it was not recorded.
/// - A page has at most 10,000 rows.
package final class RESTFeed: ResourceFeed {
    private let server: RESTServer
    private let decoder: RESTDecoder

    init(_ server: RESTServer) {
        self.server = server
        decoder = RESTDecoder(
            hooks: server.hooks, baseURL: server.baseURL, errors: server.definition.errors)
    }

    /// Requests a page. An answer that marks the end of the list is an empty page without a validator.
    package func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        if case .list = request.question.subject,
            let field = request.question.resource.declaration.parentField
        {
            return .changed(try stored(request.question, in: field), Validator())
        }
        let list = try ListRequest(request, server)
        var answer = try await self.answer(list.address, list.resource, ifChangedFrom: validator)
        if answer.status == 304, answer.wasConditional {
            guard try namesOtherNext(answer, list, request) else { return .unchanged }
            answer = try await self.answer(list.address, list.resource)
        }
        if let search = list.search, answer.isEnd(search.end) {
            var page = ItemPage([])
            page.cap = search.cap
            return .changed(page, Validator())
        }
        if answer.isEnd(list.end), request.next != nil || answer.isEmptyList(list.end) {
            return .changed(try continued(ItemPage([]), list, request, answer), Validator())
        }
        guard answer.status != 204 else {
            if list.mayBeEmpty {
                return .changed(try continued(ItemPage([]), list, request, answer), Validator())
            }
            throw answer.invalid("it has no content where \(list.noun) was expected")
        }
        guard answer.isSuccess else {
            let error = answer.error(missing: list.missing, hooks: server.hooks)
            throw request.next != nil && error.code == .invalidValue ? error.ofStoredCursor : error
        }
        let page = try continued(page(list, request, answer), list, request, answer)
        // After the last period another may have begun, which "not modified" would not show.
        let isLastPeriod = list.period != nil && page.next == nil
        return .changed(page, isLastPeriod ? Validator() : answer.validator)
    }

    private func answer(
        _ address: HTTPAddress, _ resource: Resource, ifChangedFrom validator: Validator = Validator()
    ) async throws -> RESTAnswer {
        try await server.answer(
            at: address, sending: resource.declaration.send, of: resource.declaration,
            ifChangedFrom: validator)
    }

    /// The rows in a field of the row that the list belongs to.
    private func stored(_ question: ListQuestion, in field: String) throws -> ItemPage {
        let resource = question.resource
        guard let parent = question.parent, case .json(let text)? = parent[field] else { return ItemPage([]) }
        let shape = decoder.shape(resource, rows: resource.declaration.rows, isOrdered: false)
        do {
            let read = try RowReading.list(shape, Array(text.utf8), parent: parent, from: 0) { _ in nil }
            var page = ItemPage(read.items)
            (page.emptied, page.altered, page.unread) = (read.emptied, read.altered, read.unread)
            page.shortfall =
                read.shortfall(of: resource)
                ?? FieldEndCheck(
                    resource: resource, parent: parent, field: field, value: Array(text.utf8),
                    count: read.count
                ).shortfall?.located(in: resource.declaration)
            return page
        } catch let fault as RowFault {
            throw PatchbayError(
                .invalidResponse,
                "the \(field.withHyphens) of the \(parent.resource.singular) \(Quotation.quoted(parent.handle)) are "
                    + "not a list of \(resource.plural): \(fault.sentence)",
                fault.details + [.collection(resource.collection.name)])
        }
    }

    /// The page with a link to the first page of the next period, at the end of one.
    private func continued(
        _ page: ItemPage, _ list: ListRequest, _ request: ItemRequest, _ answer: RESTAnswer
    ) throws -> ItemPage {
        guard let period = list.period else { return page }
        var page = page
        // A number of rows is that of the period.
        page.total = nil
        page.answeredAt = answer.date
        if page.next == nil {
            page.next = try period.next(request.question, at: answer.date ?? .now(), server)
        }
        return page
    }

    /// Requests a row at the address of the definition's `show`.
    ///
    /// - Throws: `unsupported` for a resource without such an address, `notFound` when the answer contains no row, and
    ///   the errors of `ResourceFeed.item`.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        guard let template = resource.declaration.show else {
            throw PatchbayError(
                .unsupported, "\(resource.api) has no address of a single \(resource.singular)")
        }
        let path = try TemplateValues(resource: resource, handle: handle).path(template)
        let answer = try await self.answer(server.address(path), resource, ifChangedFrom: validator)
        if answer.status == 304, answer.wasConditional { return .unchanged }
        let missing =
            "there is no \(resource.singular) \(Quotation.quoted(handle)) at \(server.host), or it is hidden"
        guard answer.isSuccess, answer.status == 200 else {
            throw answer.error(missing: missing, hooks: server.hooks)
        }
        let shape = decoder.shape(resource, rows: resource.declaration.showRows)
        let item = try answer.decoded(resource.singular.withArticle, of: resource) {
            try RowReading.single(shape, $0)
        }
        guard let item else { throw PatchbayError(.notFound, missing, answer.details) }
        return .changed(item, answer.validator)
    }

    private func page(
        _ list: ListRequest, _ request: ItemRequest, _ answer: RESTAnswer
    ) throws -> ItemPage {
        let shape = decoder.shape(
            list.resource, rows: list.rows, isOrdered: list.search == nil, isSearch: list.search != nil)
        let question = request.question
        let read = try answer.decoded(list.noun, of: list.resource) {
            try RowReading.list(shape, $0, parent: question.parent, from: list.place) {
                question.argument($0)
            }
        }
        let (items, count) = (read.items, read.count)
        try checkStart(items, list, request, answer)
        var page = ItemPage(items)
        (page.emptied, page.altered, page.unread) = (read.emptied, read.altered, read.unread)
        var next = NextPage(server: server, request: list, answer: answer)
        page.next = try next.address(after: items, of: count, leftOut: read.lastLeftOut)
        page.absent = read.absent
        if question.since != nil { page.leftOut = excluded(from: read, question) }
        page.leftOutCount = read.leftOut.count
        if list.rows.mayBeMissing, BodyValue(at: list.rows, in: answer.body) == nil {
            page.otherRows = BodyValue(at: JSONPath.whole, in: answer.body)?.rowsPath()?.description
        }
        page.isFull = list.isFull(count)
        if case .page(let parameter, _) = list.paging {
            page.isOne = !list.isFirst && list.address.queryInteger(parameter) == 1
        }
        page.answeredAt = answer.date
        let end = ListEndCheck(list: list, answer: answer, count: count)
        page.shortfall = end.failure ?? read.shortfall(of: list.resource) ?? next.shortfall
        if list.isFirst, let next = page.next {
            page.shortfall = page.shortfall ?? end.shortfall(before: next)
        }
        if list.search == nil {
            // The pages between the first and the last one are not searched for a total that has no declared place.
            // Rows that the definition leaves out are counted there.
            let isCounted = list.resource.declaration.condition == nil
            if isCounted, page.next == nil || list.isFirst || list.resource.declaration.total != nil {
                page.total = end.total
            }
            if page.next == nil { page.shortfall = page.shortfall ?? end.shortfall }
        }
        page.shortfall = page.shortfall?.located(
            in: list.resource.declaration, at: answer.address.display)
        if page.next != nil, let last = Link.target("last", in: answer.fields[.link]) {
            page.pageCount = answer.address.resolving(last)?.queryInteger("page")
        }
        if let search = list.search { take(search, from: answer, into: &page) }
        return page
    }

    /// The rows that the definition leaves out. One that cannot be read is not a stored one.
    private func excluded(from read: RowsRead, _ question: ListQuestion) -> [Item] {
        if read.leftOut.isEmpty { return [] }
        let shape = decoder.shape(question.resource, rows: JSONPath([]), isOrdered: false, keepsAll: true)
        return read.leftOut.compactMap { place in
            let row = Array(read.body[place])
            let single = try? RowReading.list(shape, row, parent: question.parent, from: 0) {
                question.argument($0)
            }
            return single?.items.first
        }
    }

    /// Whether an answer 304 names another next page than the stored one. Its fields replace those of the answer that
    /// it confirms (RFC 9111, section 3.2), whose tag may be of the body alone.
    private func namesOtherNext(
        _ answer: RESTAnswer, _ list: ListRequest, _ request: ItemRequest
    ) throws -> Bool {
        let field: HTTPField.Name? =
            switch list.paging {
            case .link: .link
            case .header(_, let name): HTTPField.Name(name)
            default: nil
            }
        guard let field, answer.fields[field] != nil, list.period == nil else { return false }
        var next = NextPage(server: server, request: list, answer: answer)
        let link = try next.address(after: [], of: 1, leftOut: nil)
        func address(_ link: String?) -> String? { link.map { PageLink(reading: $0).address } }
        // Fields may be left out (RFC 9110, section 15.4.5), or be added on the way.
        return link != nil && address(link) != address(request.storedNext)
    }

    /// Refuses rows before the requested start.
    private func checkStart(
        _ items: [Item], _ list: ListRequest, _ request: ItemRequest, _ answer: RESTAnswer
    ) throws {
        let after = request.question.after
        guard request.next == nil, !list.mayBeEmpty, let first = items.first?.order, first <= after else {
            return
        }
        throw answer.invalid(
            "the first \(list.resource.singular) has the \(list.resource.order?.name ?? "place") \(first), "
                + "but rows after \(after) were requested")
    }

    private func take(_ search: SearchDeclaration, from answer: RESTAnswer, into page: inout ItemPage) {
        if case .number(let text) = BodyValue(at: search.total, in: answer.body) {
            page.total = Int64(json: text)
        }
        page.isIncomplete =
            page.shortfall != nil || BodyValue(at: search.incomplete, in: answer.body) == .boolean(true)
        if page.next == nil, let total = page.total, let cap = search.cap, total >= cap { page.cap = cap }
    }
}

extension PatchbayError {
    /// The error for a page after the first one, whose cursor the API may no longer know.
    fileprivate var ofStoredCursor: PatchbayError {
        PatchbayError(
            code,
            "\(message); if the place where the list continues is no longer valid, start the list over, or let "
                + "error.restart in the definition name the text of this error", details, cause: cause)
    }
}

extension ListRequest {
    /// Whether a page of `count` rows may be full. A 304 for a full last page does not prove that no page follows. If
    /// the address does not state the size of pages, a single page of fewer than ten rows is not full.
    fileprivate func isFull(_ count: Int) -> Bool {
        paging == .none ? false : count >= address.pageRows ?? (isFirst ? 10 : 1)
    }
}
