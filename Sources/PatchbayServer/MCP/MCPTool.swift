import HTTPTypes
import PatchbayCore
import PatchbayJSON
import Synchronization

/// A tool that agents call. Each is an operation of the JSON API, so that limits, checks and errors are the same.
struct MCPTool: Sendable {
    let name: String
    /// What the tool does, for the agent that chooses it.
    let description: String
    let arguments: [Argument]
    /// Whether it sends no requests to a source.
    var isLocal = true
    let run: @Sendable (MCPArguments, MCPServer) async throws -> MCPAnswer

    /// An argument with the type of its value.
    struct Argument: Sendable {
        enum Kind: Sendable {
            case text, integer, texts, boolean
            /// An object of texts, numbers and so on.
            case values
        }

        let name: String
        let kind: Kind
        var summary = ""
        var isRequired = false
        /// The parameter of the operation that carries the value, if its name is another one.
        var parameter: String?
    }

    static let all: [MCPTool] = [resources, rows, row, find, query, changes, limits, refresh]

    /// The tool that the parameters of a call name; nil when there is none.
    static func named(in params: JSONValue) -> MCPTool? {
        guard case .text(let name)? = params["name"] else { return nil }
        return all.first { $0.name == name }
    }

    /// The problem of an operation with the name that its parameter has among the arguments.
    func naming(_ problem: Problem) -> Problem {
        guard let name = problem.parameter, !arguments.contains(where: { $0.name == name }),
            let argument = arguments.first(where: { $0.parameter == name })?.name
        else { return problem }
        var problem = problem
        problem.parameter = argument
        if problem.detail.hasPrefix(name + ": ") {
            problem.detail = argument + problem.detail.dropFirst(name.count)
        }
        return problem
    }

    /// The tool as `tools/list` describes it.
    var definition: JSONValue {
        let required = arguments.filter(\.isRequired).map(\.name)
        return [
            "name": .text(name), "description": .text(description),
            "inputSchema": [
                "type": "object", "properties": .object(arguments.map { ($0.name, $0.schema) }),
                "required": JSONValue(required), "additionalProperties": false,
            ],
            "outputSchema": ["type": "object", "required": ["requests_sent"]],
            "annotations": isLocal
                ? ["readOnlyHint": true, "openWorldHint": false]
                : [
                    "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true,
                    "openWorldHint": true,
                ],
        ]
    }
}

extension MCPTool.Argument {
    fileprivate var schema: JSONValue {
        var members: [(name: String, value: JSONValue)] =
            switch kind {
            case .text: [("type", "string")]
            case .integer: [("type", "integer"), ("minimum", 1)]
            case .texts: [("type", "array"), ("items", ["type": "string"])]
            case .boolean: [("type", "boolean")]
            case .values: [("type", "object")]
            }
        if !summary.isEmpty { members.append(("description", .text(summary))) }
        return .object(members)
    }
}

/// The arguments of a call, whose names the tool has.
struct MCPArguments: Sendable {
    private let values: [(name: String, value: JSONValue)]

    /// - Throws: `Problem` for an unknown name, a missing argument, or a value of another type.
    init(_ value: JSONValue?, of tool: MCPTool) throws(Problem) {
        guard value == nil || value?.isObject == true else {
            throw Problem(.badRequest, .invalidValue, "\"arguments\" is not an object")
        }
        values = (value?.members ?? []).filter { !$0.value.isNull }
        for (name, value) in values {
            guard let argument = tool.arguments.first(where: { $0.name == name }) else {
                throw .invalid(name, EditDistance.unknown("argument", name, in: tool.arguments.map(\.name)))
            }
            guard argument.kind.holds(value) else {
                throw .invalid(name, "the value is not \(argument.kind.noun)")
            }
        }
        for argument in tool.arguments where argument.isRequired && self[argument.name] == nil {
            throw .invalid(argument.name, "the argument is missing")
        }
    }

    subscript(_ name: String) -> JSONValue? { values.first { $0.name == name }?.value }

    func text(_ name: String) -> String? { self[name]?.word }
    func texts(_ name: String) -> [String] { self[name]?.elements.compactMap(\.word) ?? [] }
    func boolean(_ name: String) -> Bool { if case .bool(true)? = self[name] { true } else { false } }
    func integer(_ name: String) -> Int? { self[name]?.wholeNumber }
    /// Whether an argument has a value other than false and an empty array, which agents send for what they leave out.
    func isGiven(_ name: String) -> Bool {
        switch self[name] {
        case nil, .bool(false)?: false
        case .array(let elements)?: !elements.isEmpty
        default: true
        }
    }

    /// The members of an object with their texts.
    ///
    /// - Throws: `Problem` for a null, which no index finds.
    func pairs(_ name: String) throws(Problem) -> [(name: String, text: String)] {
        var pairs: [(name: String, text: String)] = []
        for member in self[name]?.members ?? [] {
            if case .bool(let isTrue) = member.value {
                pairs.append((member.name, "\(isTrue)"))
            } else if let text = member.value.word {
                pairs.append((member.name, text))
            } else {
                throw .invalid(
                    name, "\(member.name) is null; \"query\" finds rows without a value (IS NULL)")
            }
        }
        return pairs
    }
}

extension MCPTool.Argument.Kind {
    fileprivate func holds(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.word != nil
        case .integer: value.wholeNumber.map { $0 > 0 } ?? false
        case .texts:
            if case .array(let elements) = value { elements.allSatisfy { $0.word != nil } } else { false }
        case .boolean: if case .bool = value { true } else { false }
        case .values:
            value.isObject
                && value.members.allSatisfy { member in
                    switch member.value {
                    case .array, .object: false
                    case .null, .bool, .number, .text: true
                    }
                }
        }
    }

    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .integer: "a whole number from 1"
        case .texts: "an array of texts"
        case .boolean: "true or false"
        case .values: "an object of texts, numbers, true, false and null"
        }
    }
}

extension JSONValue {
    /// The value of a number without a fraction, such as 20 or 20.0; nil for any other value.
    fileprivate var wholeNumber: Int? {
        guard case .number(let digits) = self else { return nil }
        return Int(digits) ?? Double(digits).flatMap { Int(exactly: $0) }
    }
}

/// The answer of an operation that was called inside the process.
struct MCPCall: Sendable {
    let body: JSONValue
    /// Nil if the answer does not come from a store.
    let provenance: Provenance?
    /// The token of the next page.
    let next: String?
}

/// Receives the answer of an operation with its provenance, which a client would read from header fields.
final class AnswerReceipt: Sendable {
    private let kept = Mutex<APIAnswer?>(nil)

    func keep(_ answer: APIAnswer) { kept.withLock { $0 = answer } }
    var answer: APIAnswer? { kept.withLock { $0 } }
}

extension API {
    /// Calls an operation inside the process.
    ///
    /// - Parameters:
    ///   - path: the segments after `/-/`.
    ///   - query: the parameters; those without a value are left out.
    ///   - body: the body of a `POST`.
    func call(
        _ path: [String], _ query: [(name: String, value: String?)] = [], body: JSONValue? = nil
    ) async throws -> MCPCall {
        let given = query.compactMap { pair in
            pair.value.map { PercentEncoding.segment(pair.name) + "=" + PercentEncoding.segment($0) }
        }
        // Handles such as "%2E" are decoded once more than others.
        let segments = path.map { ServedResource.isEncodedDots($0) ? PercentEncoding.segment($0) : $0 }
        let address =
            RequestTarget.prefix + segments.map { PercentEncoding.segment($0) }.joined(separator: "/")
        var head = HTTPRequest(
            method: body == nil ? .get : .post, scheme: nil, authority: nil,
            path: given.isEmpty ? address : address + "?" + given.joined(separator: "&"))
        if body != nil { head.headerFields[.contentType] = MediaType.json.rawValue }
        let inside = ServerRequest.Connection(local: .unix(path: ""), remote: .unix(path: ""))
        let receipt = AnswerReceipt()
        let response = try await answer(
            ServerRequest(head: head, body: body?.line ?? [], connection: inside), receipt)
        guard case .whole(let bytes) = response.body else {
            throw PatchbayError(.internalError, "an operation answers with a stream")
        }
        let next = try receipt.answer?.next.map { try RequestTarget($0) }
        return MCPCall(
            body: try JSONValue(bytes), provenance: receipt.answer?.provenance,
            next: next?.query.first { $0.name == Parameter.after.name }?.value)
    }
}
