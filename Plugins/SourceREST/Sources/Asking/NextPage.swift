import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Finds the next page by the paging rule of the resource.
struct NextPage {
    let server: RESTServer
    let request: ListRequest
    let answer: RESTAnswer

    /// Why the list is cut here; nil when it continues or ends.
    private(set) var shortfall: Shortfall?

    init(server: RESTServer, request: ListRequest, answer: RESTAnswer) {
        (self.server, self.request, self.answer) = (server, request, answer)
    }

    /// Returns the address of the next page; nil at the end, and if it cannot be followed (``shortfall``). Cursors,
    /// numbers and offsets are in its query, even if the request sends them in its body. The place of its first row is
    /// the fragment if rows have a field for it: with another place it is another page.
    ///
    /// - Parameters:
    ///   - count: the number of members of the page: its rows, and nulls and duplicates among them.
    ///   - leftOut: the last row if it is not one of `items`.
    /// - Throws: `invalidResponse` for a cursor of another type.
    mutating func address(after items: [Item], of count: Int, leftOut: [UInt8]?) throws -> String? {
        let next = try link(after: items, of: count, leftOut)
        let hasPlaces = request.resource.fields.contains { $0.declaration.origin == .place }
        return next.map { address in
            var link = PageLink(address)
            if hasPlaces { link.place = request.place + count }
            link.since = request.period?.start.milliseconds
            return link.text
        }
    }

    private mutating func link(after items: [Item], of count: Int, _ leftOut: [UInt8]?) throws -> String? {
        if request.end.isMarked(in: answer.body) { return nil }
        if request.end.isEmptyPage, count == 0 { return nil }
        let current = answer.address
        switch request.paging {
        case .none: return nil
        case .link: return try resolved(Link.target("next", in: answer.fields[.link]))
        case .url(let path):
            guard let value = page(at: path) else { return nil }
            guard let word = value.word else { throw invalid("address", path, value) }
            return try resolved(word)
        case .cursor(let parameter?, let path, let isAlone):
            guard let cursor = page(at: path) else { return nil }
            guard cursor != .boolean(true), let word = place.spelling(of: cursor.json) else {
                throw invalid("cursor", path, cursor)
            }
            let next = current.setting(parameter, to: word, isAlone: isAlone)
            // On a page without rows, a cursor that stays the same marks the end, as in Solr.
            return try count == 0 && next == current ? nil : checked(next?.text)
        case .cursor(nil, let path, let isAlone):
            let items = try members(at: path)
            // Members of the cursor before, which this one may lack, are not sent again.
            return try items.isEmpty
                ? nil : checked(request.start(server).setting(items, isAlone: isAlone)?.text)
        case .header(let parameter, let name):
            let value = HTTPField.Name(name).flatMap { answer.fields[$0] } ?? ""
            return value.isEmpty ? nil : try checked(current.setting(parameter, to: value)?.text)
        case .last(let parameter, let field, _):
            let kept = items.last?[field].map { place.spelling(of: $0) }
            guard let last = try leftOut.map({ try value(of: field, in: $0) }) ?? kept else { return nil }
            let next = current.setting(parameter, to: last)
            // An API that includes the requested value itself ends with a page of this row alone.
            return try count == 1 && next == current ? nil : checked(next?.text)
        case .page(let parameter, let first):
            let number = current.queryInteger(parameter) ?? first
            let isPassed = count == 0 || number >= pageCount ?? .max
            // The end that the definition names may come after a page without rows.
            let isLast = isPassed && request.end.more(in: answer.body) == nil
            return try isLast ? nil : checked(current.setting(parameter, to: "\(number + 1)")?.text)
        case .offset(let parameter):
            let offset = current.queryInteger(parameter) ?? 0
            return try count == 0
                ? nil : checked(current.setting(parameter, to: "\(offset + Int64(count))")?.text)
        }
    }

    /// Returns what follows a row that the definition leaves out, without which the list would end after it.
    private func value(of field: String, in row: [UInt8]) throws -> String {
        let declaration = request.resource.declaration.fields.first { $0.name == field }
        guard case .path(let path)? = declaration?.origin,
            let word = BodyValue(at: path, in: row).flatMap({ place.spelling(of: $0.json) })
        else {
            let name = request.resource.name.withHyphens
            throw answer.invalid(
                "the last row of the page, which \(name).where leaves out, has no value for the field "
                    + "\(field.withHyphens), with which \(name).next requests the next page")
        }
        return word
    }

    private func value(_ path: JSONPath) -> BodyValue? { BodyValue(at: path, in: answer.body) }

    /// The cursor or address at a path; nil for a value that ends the list.
    private func page(at path: JSONPath) -> BodyValue? { value(path).flatMap { $0.isEnd ? nil : $0 } }

    /// The maximum number of parameters that a cursor becomes.
    private static let membersMax = 100

    /// Returns the members of the cursor at a path as parameters, without those that are null; none at the end of the
    /// list, where all of them are null, false or empty.
    private func members(at path: JSONPath) throws -> [(name: String, value: String)] {
        guard let cursor = page(at: path) else { return [] }
        let members = cursor.members
        guard case .object = cursor, members.count <= Self.membersMax else {
            throw invalid("cursor", path, cursor, "an object of at most \(Self.membersMax) members")
        }
        if members.allSatisfy(\.value.isEnd) { return [] }
        return try members.filter { $0.value != .null }.map { name, value in
            guard let word = place.spelling(of: value.json) else {
                throw invalid("cursor", JSONPath(path.steps + [.member(name)]), value)
            }
            return (place == .json ? name.escapedForPath : name, word)
        }
    }

    /// Returns the error for a value that neither ends the list nor leads to a page.
    private func invalid(
        _ noun: String, _ path: JSONPath, _ value: BodyValue, _ expected: String = "a text or a number"
    ) -> PatchbayError {
        answer.invalid(
            "the \(noun) of the next page of \(request.resource.plural), "
                + "at \(Quotation.quoted(path.description)), is \(value.type); "
                + "expected \(expected), or no value at the end of the list"
        )
        .adding([.collection(request.resource.collection.name)])
    }

    /// The number of pages of a source that refuses the page after the last one with status 400: WordPress.
    private var pageCount: Int64? {
        HTTPField.Name("X-WP-TotalPages").flatMap { answer.fields[$0] }.flatMap { Int64($0) }
    }

    private var place: ParameterPlace { request.resource.declaration.send }

    /// The address that a link refers to (RFC 8288, section 3.1).
    private mutating func resolved(_ link: String?) throws -> String? {
        guard let link else { return nil }
        guard let next = answer.address.resolving(link) else {
            throw answer.invalid("the next page \(Quotation.quoted(address: link)) is not an address")
        }
        return try checked(next.text)
    }

    /// Returns the address of the next page if it can be followed. The rows of this page are kept in any case.
    private mutating func checked(_ next: String?) throws -> String? {
        guard var next else { return nil }
        if !server.isOurs(next), let kept = server.kept(next) { next = kept }
        guard server.isOurs(next) else {
            shortfall = Shortfall(
                .link,
                "the next page \(Quotation.quoted(address: next)) is not at \(server.baseURL), so it was not "
                    + "requested; if both are one API, set source.keep-base-url = on, which requests it there"
            )
            return nil
        }
        guard HTTPAddress(next) != answer.address else {
            let flag = EndSigns(answer.body, beside: request.rows).noMore
            let end =
                flag.map { "\"\($0.path)\" is \($0.value), so set" } ?? "if another member marks the end, set"
            let rule = flag.map { $0.value == "false" ? "not \($0.path)" : $0.path } ?? "PATH or not PATH"
            shortfall = Shortfall(
                .link,
                "the last page names itself as the next one; \(end) \(request.resource.name.withHyphens).end = \(rule) "
                    + "in the definition")
            return nil
        }
        return next
    }
}
