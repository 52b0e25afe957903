import PatchbayGateway
import PatchbayJSON

/// A conversation with an agent over two streams, with a message on each line.
package actor MCPSession {
    private let server: MCPServer
    private let write: @Sendable ([UInt8]) throws -> Void
    private var line: [UInt8] = []
    private var isTooLong = false
    /// The requests that are being answered, by their identifiers.
    private var running: [String: Task<Void, Never>] = [:]
    /// The subscriptions, by the identifiers of their requests, and by addresses in the older era.
    private var listening: [String: Task<Void, Never>] = [:]

    /// The maximum size of a message.
    private static let lineBytesMax = 1 << 20
    private static let runningMax = 64

    /// - Parameters:
    ///   - responder: must stay usable until ``end()`` has returned.
    ///   - write: writes one line to the agent; called by one thread at a time.
    package init(
        _ responder: APIResponder, _ options: MCPOptions = MCPOptions(),
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        server = MCPServer(api: responder.api, options: options, isOverStream: true)
        self.write = write
    }

    /// Takes what the agent has written, which may end within a message.
    package func receive(_ bytes: [UInt8]) {
        for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            if part.offset > 0 { endLine() }
            guard !isTooLong else { continue }
            line += part.element
            if line.count > Self.lineBytesMax { (isTooLong, line) = (true, []) }
        }
    }

    /// Answers the requests that are being answered, and ends the subscriptions.
    package func end() async {
        if !line.isEmpty || isTooLong { endLine() }
        for task in listening.values { task.cancel() }
        for task in running.values { await task.value }
    }

    private func endLine() {
        defer { (line, isTooLong) = ([], false) }
        if isTooLong {
            return send(
                RPCAnswer.error(
                    RPCError(.invalidRequest, "the message is longer than \(Self.lineBytesMax) bytes"),
                    to: nil))
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty { return }
        do throws(RPCError) {
            let message = try RPCMessage(line)
            guard let id = message.id else { return noted(message) }
            do throws(RPCError) { try begin(message, id) } catch { send(RPCAnswer.error(error, to: id)) }
        } catch {
            send(RPCAnswer.error(error, to: nil))
        }
    }

    private func noted(_ message: RPCMessage) {
        guard message.method == "notifications/cancelled", let id = message.params["requestId"] else {
            return
        }
        running.removeValue(forKey: Self.key(id))?.cancel()
        listening.removeValue(forKey: Self.key(id))?.cancel()
    }

    private func begin(_ message: RPCMessage, _ id: JSONValue) throws(RPCError) {
        let key = Self.key(id)
        guard running[key] == nil, listening[key] == nil else {
            throw RPCError(.invalidRequest, "a request with this id is being answered")
        }
        guard running.count < Self.runningMax, listening.count < Self.runningMax else {
            throw RPCError(
                .internalError, "\(Self.runningMax) requests are being answered, which is the limit")
        }
        let era = try MCPServer.era(of: message)
        switch try MCPServer.method(of: message, in: era) {
        case .listen:
            listening[key] = Task {
                do {
                    try await server.listen(message.params, as: id) { await self.send($0) }
                    send(MCPServer.ended(id))
                } catch let error as RPCError {
                    send(RPCAnswer.error(error, to: id))
                } catch {
                    if listening[key] == nil { return }
                    send(MCPServer.ended(id))
                }
                listening[key] = nil
            }
        case .subscribe:
            let updates = try MCPUpdates([message.params["uri"] ?? .null], server.api)
            for uri in updates.uris {
                listening[uri]?.cancel()
                // It ends with the subscription; a storage that cannot be read changes no more.
                listening[uri] = Task {
                    try? await updates.follow(ready: {}) { await self.send(RPCAnswer.updated($0)) }
                }
            }
            send(RPCAnswer.result(.object([]), to: id))
        case .unsubscribe:
            listening.removeValue(forKey: message.params["uri"]?.word ?? "")?.cancel()
            send(RPCAnswer.result(.object([]), to: id))
        case let method:
            running[key] = Task {
                let answer: JSONValue
                do throws(RPCError) {
                    answer = RPCAnswer.result(
                        try await server.result(of: method, message.params, in: era), to: id)
                } catch {
                    answer = RPCAnswer.error(error, to: id)
                }
                // A cancelled request is not answered.
                if Task.isCancelled { return }
                running[key] = nil
                send(answer)
            }
        }
    }

    private func send(_ message: JSONValue) {
        // An agent that does not read any more closes the other stream, too.
        try? write(message.line + [UInt8(ascii: "\n")])
    }

    private static func key(_ id: JSONValue) -> String { String(decoding: id.line, as: UTF8.self) }
}
