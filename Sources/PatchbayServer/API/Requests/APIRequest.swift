import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// A request to an operation, with checked parameters.
struct APIRequest: Sendable {
    let route: Route
    let target: RequestTarget
    let conditions: Conditions
    /// The form of the answer; nil for an answer without content.
    let mediaType: MediaType?
    let fields: HTTPFields
    let body: [UInt8]
    /// Receives the answer with its provenance if the caller is inside the process.
    var receipt: AnswerReceipt?
    private let path: [String: String]
    private let query: [String: [String]]

    /// - Throws: `Problem` when the operation does not accept the parameters, the form or the body.
    init(
        _ request: ServerRequest, to route: Route, at target: RequestTarget, _ path: [String: String],
        explaining unknown: (_ parameter: String) -> Problem?
    ) throws(Problem) {
        self.route = route
        self.target = target
        self.path = path
        fields = request.head.headerFields
        conditions = Conditions(fields)
        mediaType = try Self.mediaType(of: route, fields)
        body = try Self.body(of: request, route)
        for (name, value) in path { try Route.pathParameters[name]?.check(value) }
        query = try Self.query(target.query, of: route, explaining: unknown)
    }

    private static func mediaType(of route: Route, _ fields: HTTPFields) throws(Problem) -> MediaType? {
        guard !route.answers.isEmpty else { return nil }
        if let type = MediaType.chosen(from: route.answers, accept: fields[.accept]) { return type }
        let types = route.answers.map(\.rawValue).joined(separator: ", ")
        throw Problem(
            .notAcceptable, .unsupported, "the answer is available as \(types); send one of these in Accept",
            parameter: "Accept")
    }

    private static func body(of request: ServerRequest, _ route: Route) throws(Problem) -> [UInt8] {
        guard let body = route.body else { return [] }
        guard body.mediaTypes.contains(request.head.headerFields.mediaType) else {
            var problem = Problem(
                .unsupportedMediaType, .unsupported,
                "send the body as \(body.mediaTypes.joined(separator: " or "))", parameter: "Content-Type")
            problem.fields[.acceptPatch] = body.mediaTypes.joined(separator: ", ")
            throw problem
        }
        let encoding = request.head.headerFields[.contentEncoding] ?? "identity"
        guard encoding.lowercased() == "identity" else {
            throw Problem(
                .unsupportedMediaType, .unsupported,
                "the body is encoded with \(encoding); send it as it is, without Content-Encoding",
                parameter: "Content-Encoding")
        }
        return request.body
    }

    private static func query(
        _ given: [(name: String, value: String)], of route: Route, explaining unknown: (String) -> Problem?
    ) throws(Problem) -> [String: [String]] {
        var query: [String: [String]] = [:]
        for (name, value) in given {
            guard let parameter = route.parameters.first(where: { $0.name == name }) ?? route.others else {
                let names = route.parameters.map(\.name)
                let known = names.isEmpty ? "this path has none" : "known: \(names.joined(separator: ", "))"
                throw unknown(name)
                    ?? .invalid(
                        name,
                        "there is no such parameter\(EditDistance.suggestion(for: name, in: names)); \(known)"
                    )
            }
            try parameter.check(value)
            guard query[name] == nil || parameter.isRepeated else {
                throw .invalid(name, "the parameter occurs twice; send it once")
            }
            query[name, default: []].append(value)
        }
        for parameter in route.parameters where parameter.isRequired && query[parameter.name] == nil {
            throw .invalid(parameter.name, "the parameter is missing; send \(parameter.meaning)")
        }
        return query
    }

    /// Returns the value of a path parameter of the route.
    func pathValue(_ name: String) -> String { path[name] ?? "" }

    func text(_ parameter: Parameter) -> String? { query[parameter.name]?.first }

    func texts(_ parameter: Parameter) -> [String] { query[parameter.name] ?? [] }

    /// The parameters whose names the client chose.
    var others: [String: String] {
        let known = Set(route.parameters.map(\.name))
        return query.filter { !known.contains($0.key) }.compactMapValues(\.first)
    }

    func has(_ parameter: Parameter) -> Bool { query[parameter.name] != nil }

    func integer(_ parameter: Parameter) -> Int? {
        text(parameter).flatMap { Parameter.integer($0) }.map { Int(clamping: $0) }
    }

    /// Returns the names in a list, each once.
    func names(_ parameter: Parameter) -> [String]? {
        text(parameter)?.split(separator: ",").map(String.init).distinct
    }

    /// Reports a handle or an argument of a list that cannot exist as not found, like an impossible key in the path.
    func naming<Result>(
        _ parameter: Parameter, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as PatchbayError where error.code == .invalidValue && has(parameter) {
            throw Problem.notFound(error.message, parameter: parameter.name)
        }
    }

    var policy: Policy? { text(.policy).flatMap { Policy(rawValue: $0) } }

    /// A digest of the request and the form of its answer, to which an entity tag belongs.
    var question: UInt64 {
        var words = [target.path, mediaType?.rawValue ?? ""]
        for (name, values) in query.sorted(by: { $0.key < $1.key }) {
            words.append(name + "=" + values.joined(separator: "&"))
        }
        return UInt64(digestOf: words.joined(separator: "\n"))
    }

    /// The parameters that select a page of a stretch and its form.
    private static let ofPage = [Parameter.after, .before, .at, .fields, .policy].map(\.name)

    /// Returns a digest of the stretch that a page token belongs to: all parameters except the position and form of a
    /// page.
    ///
    /// - Parameter name: the canonical name of the resource.
    func stretch(of name: String) -> UInt64 {
        var words = [route.path.text, name]
        // Search pages are numbered, so their tokens depend on the limit.
        let isSearch = if case .found = route.content { true } else { false }
        for (name, values) in query.sorted(by: { $0.key < $1.key })
        where !Self.ofPage.contains(name) {
            if name == Parameter.limit.name, !isSearch { continue }
            // Key order is the same whether it is named or not.
            if name == Parameter.by.name, values == [Resource.keyIndexName] { continue }
            words.append(name + "=" + values.joined(separator: "\u{0}"))
        }
        return UInt64(digestOf: words.joined(separator: "\n"))
    }

    /// Returns the address of another page of the same answer.
    func address(_ parameter: Parameter, _ token: String) -> String {
        let places = [Parameter.after, .before, .at].map(\.name)
        var pairs = target.query.filter { !places.contains($0.name) }
        // Without its first values, the walk would be mistaken for a list.
        if has(.at), !has(.by) { pairs.append((Parameter.by.name, Resource.keyIndexName)) }
        pairs.append((parameter.name, token))
        let query = pairs.map { PercentEncoding.segment($0.name) + "=" + PercentEncoding.segment($0.value) }
        return target.path + "?" + query.joined(separator: "&")
    }
}

/// The body of a request, which is a JSON object.
enum JSONBody {
    /// Reads the members of the object, each of which occurs once.
    ///
    /// - Parameter content: what the object must have, for messages: `at least one field to edit`.
    /// - Throws: `Problem` for anything else.
    static func members(
        of body: [UInt8], with content: String
    ) throws(Problem) -> [(name: String, value: JSONValue)] {
        let value: JSONValue
        do { value = try JSONValue(body) } catch {
            throw Problem(
                .badRequest, .invalidValue, "the body is not JSON: \(error); send an object with \(content)")
        }
        guard !JSONText.hasHalfPair(in: body) else {
            throw Problem(
                .badRequest, .invalidValue,
                "the body contains half of a surrogate pair, such as \\ud800 alone, which is not a character; "
                    + "send both halves or remove it")
        }
        guard case .object(let members) = value else { throw notAnObject(with: content) }
        var names: Set<[UInt8]> = []
        if let twice = members.first(where: { !names.insert(Array($0.name.utf8)).inserted })?.name {
            throw .invalid(twice, "the member occurs twice in the body; send it once")
        }
        return members
    }

    static func notAnObject(with content: String) -> Problem {
        Problem(.badRequest, .invalidValue, "the body is not a JSON object with \(content)")
    }
}
