import PatchbayJSON

/// A request or a notification of JSON-RPC 2.0.
struct RPCMessage: Sendable {
    /// The identifier of a request: a text or a whole number; nil for a notification.
    let id: JSONValue?
    let method: String
    let params: JSONValue

    /// - Throws: ``RPCError`` for anything but a single request or notification. A batch is refused, because the
    ///   protocol has none.
    init(_ bytes: [UInt8]) throws(RPCError) {
        let value: JSONValue
        do { value = try JSONValue(bytes) } catch {
            throw RPCError(.parse, "the message is not JSON: \(error)")
        }
        guard case .object = value else {
            throw RPCError(.invalidRequest, "the message is not a single request or notification")
        }
        // An identifier that cannot be answered is left out of the error.
        let isResponse = value["method"] == nil && (value["result"] != nil || value["error"] != nil)
        id = isResponse ? nil : value["id"].flatMap { Self.isIdentifier($0) ? $0 : nil }
        guard !JSONText.hasHalfPair(in: bytes) else {
            throw RPCError(.invalidRequest, "the message contains half of a surrogate pair", id: id)
        }
        guard case .text("2.0")? = value["jsonrpc"] else {
            throw RPCError(.invalidRequest, "the member \"jsonrpc\" is not \"2.0\"", id: id)
        }
        // Clients are sent no requests. Like an unknown notification, a response is not answered.
        if isResponse {
            (method, params) = ("", .object([]))
            return
        }
        guard case .text(let method)? = value["method"] else {
            throw RPCError(.invalidRequest, "the member \"method\" is missing or not a text", id: id)
        }
        guard value["id"] == nil || id != nil else {
            throw RPCError(.invalidRequest, "the member \"id\" is neither a text nor a whole number")
        }
        self.method = method
        params = value["params"] ?? .object([])
        guard params.isObject else { throw RPCError(.invalidRequest, "\"params\" is not an object", id: id) }
    }

    private static func isIdentifier(_ value: JSONValue) -> Bool {
        switch value {
        case .text(let text): text.utf8.count <= identifierBytesMax
        case .number(let digits): Int64(digits) != nil
        default: false
        }
    }

    private static let identifierBytesMax = 1_024
}

/// An error of JSON-RPC.
struct RPCError: Error, Sendable {
    /// The kinds of errors; those below -32000 and above -32600 are of the Model Context Protocol.
    enum Code: Int64, Sendable {
        /// The client's budget is used up.
        case usedUp = -32000
        case parse = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case internalError = -32603
        case headerMismatch = -32020
        case unsupportedVersion = -32022
    }

    let code: Code
    let message: String
    var data: JSONValue?
    var id: JSONValue?

    init(_ code: Code, _ message: String, id: JSONValue? = nil, data: JSONValue? = nil) {
        self.code = code
        self.message = message.withoutSecrets
        self.id = id
        self.data = data
    }
}

/// The messages that a server sends.
enum RPCAnswer {
    static func result(_ result: JSONValue, to id: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "id": id, "result": result]
    }

    static func error(_ error: RPCError, to id: JSONValue?) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [
            ("code", JSONValue(error.code.rawValue)),
            ("message", .text(error.message.shortened(MCPAnswer.messageMax))),
        ]
        if let data = error.data { members.append(("data", data)) }
        return ["jsonrpc": "2.0", "id": error.id ?? id ?? .null, "error": .object(members)]
    }

    static func notification(_ method: String, _ params: JSONValue) -> JSONValue {
        ["jsonrpc": "2.0", "method": .text(method), "params": params]
    }
}
