import PatchbayCore
import PatchbayDomain

/// A request for a page of a list or a search: its address and its description in messages.
struct ListRequest {
    /// The maximum length of a search text, in Unicode scalars.
    static let queryCharactersMax = 256

    let resource: Resource
    let address: HTTPAddress
    /// The place of the page's first row in the list, as far as it is needed (``NextPage``).
    let place: Int
    /// Such as `a list of users`.
    let noun: String
    /// The message for 404.
    let missing: String
    /// Whether 204 is an empty list; not for a list that can start at any place.
    let mayBeEmpty: Bool
    let rows: JSONPath
    let paging: Paging
    let end: ListEnd
    let search: SearchDeclaration?
    /// Nil for a list that is not read in periods.
    let period: Period?
    /// Whether the page is the first one of the list, or of its period.
    let isFirst: Bool
    private let question: ListQuestion

    init(_ request: ItemRequest, _ server: RESTServer) throws {
        let question = request.question
        let resource = question.resource
        let (template, search) = try ListRequest.template(question)
        self.resource = resource
        self.question = question
        self.search = search
        let found = search == nil ? "" : "found "
        noun = "a list of \(found)\(resource.plural)"
        mayBeEmpty = !template.parameters.contains(.after)
        rows = search?.rows ?? resource.declaration.rows
        paging = search?.paging ?? resource.declaration.paging
        end = search?.pageEnd ?? (search?.paging == nil ? resource.declaration.end : ListEnd())
        let next = request.next.map { PageLink(reading: $0) }
        place = next?.place ?? 0
        let period = Period(question, next: next)
        self.period = period
        if let next {
            let address = try server.address(next: next.address)
            self.address = address
            isFirst =
                try period.map { try ListRequest.start(question, from: $0.start, server) == address } ?? false
            missing = "\(server.host) has no such page of \(resource.plural) any more; list from the start"
        } else {
            address = try ListRequest.start(question, from: period?.start, server)
            isFirst = true
            missing = ListRequest.missing(template, question, server)
        }
    }

    /// Returns the address of the first page of the list, or of the page's period.
    func start(_ server: RESTServer) throws -> HTTPAddress {
        try ListRequest.start(question, from: period?.start, server)
    }

    /// - Parameter start: the beginning of a period; nil for the time of the question, or the declared beginning.
    static func start(
        _ question: ListQuestion, from start: Timestamp?, _ server: RESTServer
    ) throws -> HTTPAddress {
        let template = try template(question).0, since = question.resource.declaration.since
        let first = start.map { ItemValue.time($0) } ?? question.since ?? since?.start.map { .time($0) }
        var values = TemplateValues(
            resource: question.resource, arguments: question.arguments, parent: question.parent,
            after: question.after, since: first)
        if let start, let window = since?.window { values.until = start.advanced(by: window) }
        if case .search(let text) = question.subject { values.text = text }
        let address = try server.address(values.path(template))
        guard case .list = question.subject, let since, let parameter = since.parameter, let first else {
            return address
        }
        let place = question.resource.declaration.send
        return address.setting(parameter, to: first.spelled(since.form, place)) ?? address
    }

    private static func template(_ question: ListQuestion) throws -> (Template, SearchDeclaration?) {
        let resource = question.resource
        switch question.subject {
        case .list(let name):
            if let list = resource.declaration.list(named: name) { return (list.template, nil) }
            throw PatchbayError(
                .unsupported,
                "the \(resource.plural) of \(resource.api) have no list \(name.map { "\"\($0)\"" } ?? "")")
        case .search(let text):
            guard let search = resource.declaration.search else {
                throw PatchbayError(.unsupported, "\(resource.api) has no search for \(resource.plural)")
            }
            guard (1...queryCharactersMax).contains(text.unicodeScalars.count) else {
                throw PatchbayError(
                    .invalidValue,
                    "a query must have 1 to \(queryCharactersMax) characters; this one has \(text.unicodeScalars.count)"
                )
            }
            return (search.template, search)
        }
    }

    private static func missing(
        _ template: Template, _ question: ListQuestion, _ server: RESTServer
    ) -> String {
        let plural = question.resource.plural
        if case .search = question.subject {
            return "\(server.host) has no search for \(plural) at this URL; is source.base-url right?"
        }
        let named = template.arguments.first.map { name in
            "\(name.withSpaces) \(Quotation.quoted(question.arguments.joined(separator: "/")))"
        }
        let parent = question.parent.map { "\($0.resource.singular) \(Quotation.quoted($0.handle))" }
        if let subject = named ?? parent {
            return "there is no \(subject) at \(server.host), or it is hidden"
        }
        return "\(server.host) has no list of \(plural) at this URL; is source.base-url right?"
    }
}

extension ItemValue {
    /// Returns the value for the `since` parameter of a later sync.
    fileprivate func spelled(_ form: TimeForm, _ place: ParameterPlace) -> String {
        if case .time = self { text(in: form) } else { place.spelling(of: self) }
    }
}
