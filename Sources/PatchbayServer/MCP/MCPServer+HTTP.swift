import HTTPTypes
import PatchbayCore
import PatchbayJSON

extension HTTPField.Name {
    fileprivate static let protocolVersion = HTTPField.Name("MCP-Protocol-Version")!
    fileprivate static let method = HTTPField.Name("Mcp-Method")!
    fileprivate static let name = HTTPField.Name("Mcp-Name")!
}

extension MCPServer {
    /// The path of the only address, to which every message is posted.
    static let path = RequestTarget.prefix + "mcp"

    /// Answers a message.
    ///
    /// - Throws: `Problem` for a request that carries none.
    func answer(_ request: ServerRequest) async throws -> ServerResponse {
        ServedCall.current?.note(operation: "mcp")
        guard request.head.method == .post else {
            var problem = Problem(.methodNotAllowed, .unsupported, "\"\(Self.path)\" takes messages by POST")
            problem.fields[.allow] = "POST"
            throw problem
        }
        guard request.head.headerFields.mediaType == MediaType.json.rawValue else {
            throw Problem(.unsupportedMediaType, .unsupported, "send the message as application/json")
        }
        let accept = request.head.headerFields[.accept]
        guard MediaType.chosen(from: [.json, .events], accept: accept) != nil else {
            throw Problem(.notAcceptable, .unsupported, "answers are application/json or text/event-stream")
        }
        var id: JSONValue?
        do throws(RPCError) {
            let message = try RPCMessage(request.body)
            id = message.id
            try requireBytes(message)
            let era = try era(of: message, request.head.headerFields)
            guard let id else { return ServerResponse(head: HTTPResponse(status: .accepted)) }
            let method = try Self.method(of: message, in: era)
            if method == .listen { return try stream(message, id, accept) }
            let result = try await result(of: method, message.params, in: era)
            return Self.response(.ok, RPCAnswer.result(result, to: id))
        } catch {
            var response = Self.response(error.status, RPCAnswer.error(error, to: id))
            if error.code == .usedUp, let time = error.data?["retry_at"]?.word.flatMap({ Timestamp($0) }) {
                response.head.headerFields.setRetryAfter(time, now: api.clock.now())
            }
            return response
        }
    }

    /// Refuses a message of a client that has used up its bytes.
    private func requireBytes(_ message: RPCMessage) throws(RPCError) {
        let call = ServedCall.current
        if message.method == Method.callTool.rawValue, let tool = MCPTool.named(in: message.params) {
            call?.note(tool: tool.name)
        }
        do {
            try call?.requireBytes()
        } catch {
            throw RPCError(error)
        }
    }

    /// Returns the era of a message after checking that the header fields, by which others route it, agree with it.
    private func era(of message: RPCMessage, _ fields: HTTPFields) throws(RPCError) -> Era {
        let version = message.params["_meta"]?[Meta.version]
        let sent = fields[.protocolVersion]
        guard version != nil else {
            // Messages of the older era may leave the field out, and notifications have no _meta.
            guard let sent, !Self.handshakeVersions.contains(sent) else { return .handshake }
            try Self.check(sent)
            return message.id == nil ? .stateless : try Self.era(of: message, isStateless: true)
        }
        guard fields[values: .protocolVersion].count <= 1, sent == version?.word else {
            throw RPCError(.headerMismatch, "MCP-Protocol-Version is not the version in _meta")
        }
        guard fields[values: .method] == [message.method] else {
            throw RPCError(.headerMismatch, "Mcp-Method is not the message's method")
        }
        let named = ["tools/call": "name", "resources/read": "uri"][message.method]
        if let named, case .text(let name)? = message.params[named] {
            let values = fields[values: .name]
            guard values.count == 1, Self.decoded(values[0]) == name else {
                throw RPCError(.headerMismatch, "Mcp-Name is not the \(named) in the message")
            }
        }
        return try Self.era(of: message)
    }

    /// Decodes the form of a header value that is not plain ASCII: `=?base64?...?=`.
    private static func decoded(_ value: String) -> String? {
        guard value.hasPrefix("=?base64?"), value.hasSuffix("?="), value.utf8.count >= 11 else {
            return value
        }
        let text = Array(value.utf8.dropFirst(9).dropLast(2))
        return Base64.decode(text.span.bytes).map { String(decoding: $0, as: UTF8.self) }
    }

    private func stream(
        _ message: RPCMessage, _ id: JSONValue, _ accept: String?
    ) throws(RPCError) -> ServerResponse {
        guard MediaType.chosen(from: [.events], accept: accept) != nil else {
            throw RPCError(.invalidRequest, "a subscription is answered with text/event-stream; accept it")
        }
        // Reported before the stream begins.
        _ = try MCPUpdates(message.params["notifications"]?["resourceSubscriptions"]?.elements ?? [], api)
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentType] = MediaType.events.contentType
        head.headerFields[.cacheControl] = "no-store"
        return ServerResponse(
            head: head,
            body: .stream { [self] writer in
                let send: @Sendable (JSONValue) async throws -> Void = { value in
                    try await writer.write(
                        Array("event: message\ndata: ".utf8) + value.line + Array("\n\n".utf8))
                }
                try await api.listeners.listening { stops in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await listen(message.params, as: id, send) }
                        group.addTask { for await _ in stops {} }
                        group.addTask { [clock = api.clock] in
                            while true {
                                try await clock.sleep(EventStream.silenceMax)
                                try await writer.write(Array(": nothing has changed\n\n".utf8))
                            }
                        }
                        defer { group.cancelAll() }
                        try await group.next()
                    }
                }
                try await send(Self.ended(id))
            })
    }

    private static func response(_ status: HTTPResponse.Status, _ message: JSONValue) -> ServerResponse {
        var head = HTTPResponse(status: status)
        head.headerFields[.contentType] = MediaType.json.rawValue
        head.headerFields[.cacheControl] = "no-store"
        return ServerResponse(head: head, body: .whole(message.line))
    }
}

extension RPCError {
    /// The refusal of a client whose budget is used up.
    fileprivate init(_ refusal: PatchbayError) {
        self.init(
            .usedUp, refusal.message, data: ["retry_at": JSONValue(refusal.retryAt?.description)])
    }

    fileprivate var status: HTTPResponse.Status {
        switch code {
        case .methodNotFound: .notFound
        case .usedUp: .tooManyRequests
        case .internalError: .internalServerError
        default: .badRequest
        }
    }
}
