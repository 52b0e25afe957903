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
        place = request.next.flatMap { $0.split(separator: "#").dropFirst().last }.flatMap { Int($0) } ?? 0
        if let next = request.next {
            address = try server.address(next: next)
            missing = "\(server.host) has no such page of \(resource.plural) any more; list from the start"
        } else {
            address = try ListRequest.start(template, question, server)
            missing = ListRequest.missing(template, question, server)
        }
    }

    /// Returns the address of the list's first page.
    func start(_ server: RESTServer) throws -> HTTPAddress {
        try ListRequest.start(ListRequest.template(question).0, question, server)
    }

    private static func start(
        _ template: Template, _ question: ListQuestion, _ server: RESTServer
    ) throws -> HTTPAddress {
        let address = try server.address(path(template, question))
        return since(question).flatMap { address.setting($0, to: $1) } ?? address
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

    private static func path(_ template: Template, _ question: ListQuestion) throws -> String {
        var values = TemplateValues(
            resource: question.resource, arguments: question.arguments, parent: question.parent,
            after: question.after)
        if case .search(let text) = question.subject { values.text = text }
        return try values.path(template)
    }

    /// The parameter and the value that limit a list to newer rows.
    private static func since(_ question: ListQuestion) -> (String, String)? {
        guard let since = question.resource.declaration.since, case .list = question.subject else {
            return nil
        }
        return question.since.map {
            (since.parameter, $0.spelled(since.unit, question.resource.declaration.send))
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
    fileprivate func spelled(_ unit: SinceDeclaration.Unit, _ place: ParameterPlace) -> String {
        guard case .time(let time) = self else { return place.spelling(of: self) }
        return switch unit {
        case .iso8601: time.description
        case .seconds: String(time.milliseconds / 1_000)
        case .milliseconds: String(time.milliseconds)
        }
    }
}
