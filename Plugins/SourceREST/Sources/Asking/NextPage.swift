import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Finds the next page by the paging rule of the resource.
struct NextPage {
    let server: RESTServer
    let request: ListRequest
    let answer: RESTAnswer

    /// Returns the address of the next page; nil at the end. Cursors, numbers and offsets are in its query, even if the
    /// request sends them in its body.
    ///
    /// - Throws: `invalidResponse` for a page of another server, or a page that names itself.
    func address(after items: [Item]) throws -> String? {
        if let path = request.end.unless, value(path)?.isNothing != false { return nil }
        if request.end.isEmptyPage, items.isEmpty { return nil }
        let current = answer.address
        switch request.resource.declaration.paging {
        case .none: return nil
        case .link: return try checked(Link.target("next", in: answer.fields[.link]))
        case .url(let path):
            guard let word = value(path)?.word else { return nil }
            return try checked(current.resolving(word)?.text ?? word)
        case .cursor(let parameter, let path, let isAlone):
            guard let word = value(path)?.word else { return nil }
            return try checked(current.setting(parameter, to: word, isAlone: isAlone)?.text)
        case .last(let parameter, let field):
            guard let last = items.last?[field] else { return nil }
            return try checked(current.setting(parameter, to: last.description)?.text)
        case .page(let parameter, let first):
            let number = current.queryInteger(parameter) ?? first
            return try items.isEmpty ? nil : checked(current.setting(parameter, to: "\(number + 1)")?.text)
        case .offset(let parameter):
            let offset = current.queryInteger(parameter) ?? 0
            return try items.isEmpty
                ? nil : checked(current.setting(parameter, to: "\(offset + Int64(items.count))")?.text)
        }
    }

    private func value(_ path: JSONPath) -> BodyValues.Value? { BodyValues.value(path, in: answer.body) }

    private func checked(_ next: String?) throws -> String? {
        guard let next else { return nil }
        guard server.isOurs(next) else {
            throw answer.invalid("the next page \(Quotation.quoted(next)) is not at \(server.baseURL)")
        }
        guard HTTPAddress(next) != answer.address else {
            throw answer.invalid("the page names itself as the next one")
        }
        return next
    }
}
