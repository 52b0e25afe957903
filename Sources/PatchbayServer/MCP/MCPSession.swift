package import PatchbayCore
package import PatchbayGateway
import PatchbayJSON

/// A conversation with an agent over two streams, with a message on each line.
package actor MCPSession {
    private let responder: APIResponder
    private let server: MCPServer
    private let ledger: ClientLedger
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
    static let subscriptionsMax = 64

    /// - Parameters:
    ///   - gateways: open with the schema of ``GatewayServer``; the caller closes them after ``stop()``.
    ///   - account: the storage of the account, open for writing; nil to keep none.
    ///   - questions: answers SQL and finds words.
    ///   - unwritten: called when the account of calls, which are the owner's, cannot be written to the storage.
    ///   - write: writes one line to the agent; called by one thread at a time.
    package init(
        _ gateways: Gateways, account: Store?, _ options: MCPOptions, questions: StoredQuestions,
        unwritten: @escaping @Sendable (any Error) -> Void,
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        let clock = LayerClock(now: Timestamp.now)
        let ledger = try await ClientLedger([], account, clock: clock, report: unwritten)
        self.init(
            APIResponder(gateways.all, questions: questions, clock: clock), ledger, options, write: write)
    }

    init(
        _ responder: APIResponder, _ ledger: ClientLedger, _ options: MCPOptions = MCPOptions(),
        write: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.responder = responder
        self.ledger = ledger
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
        for task in running.values { await task.value }
        for task in listening.values { task.cancel() }
        for task in listening.values { await task.value }
    }

    /// Ends what is still being answered, ends requests to sources, and writes the account. Do not use the session
    /// afterwards.
    package func stop() async {
        for task in running.values { task.cancel() }
        for task in running.values { await task.value }
        await responder.stop()
        await ledger.close()
    }

    private func endLine() {
        defer { (line, isTooLong) = ([], false) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if line.isEmpty, !isTooLong { return }
        let call = ServedCall(AccountingResponder.owner, ledger)
        call.note(operation: "mcp")
        do throws(RPCError) {
            guard !isTooLong else {
                throw RPCError(.invalidRequest, "the message is longer than \(Self.lineBytesMax) bytes")
            }
            let message = try RPCMessage(line)
            guard let id = message.id else { return noted(message) }
            do throws(RPCError) { try begin(message, id, call) } catch {
                answer(RPCAnswer.error(error, to: id), call)
            }
        } catch {
            answer(RPCAnswer.error(error, to: nil), call)
        }
    }

    private func noted(_ message: RPCMessage) {
        guard message.method == "notifications/cancelled", let id = message.params["requestId"] else {
            return
        }
        running.removeValue(forKey: Self.key(id))?.cancel()
        listening.removeValue(forKey: Self.key(id))?.cancel()
    }

    private func begin(_ message: RPCMessage, _ id: JSONValue, _ call: ServedCall) throws(RPCError) {
        let key = Self.key(id)
        guard running[key] == nil, listening[key] == nil else {
            throw RPCError(.invalidRequest, "a request with this id is being answered")
        }
        guard running.count < Self.runningMax else {
            throw RPCError(
                .internalError, "\(Self.runningMax) requests are being answered, which is the limit")
        }
        let era = try MCPServer.era(of: message)
        switch try MCPServer.method(of: message, in: era) {
        case .listen:
            try requireRoom()
            listening[key] = Task {
                do {
                    try await call.running {
                        try await server.listen(message.params, as: id) { await self.send($0, call) }
                    }
                    // A subscription that the agent has cancelled is not answered.
                    if listening[key] == nil { return }
                    answer(MCPServer.ended(id), call)
                } catch let error as RPCError {
                    answer(RPCAnswer.error(error, to: id), call)
                } catch {
                    if listening[key] == nil { return }
                    answer(MCPServer.ended(id), call)
                }
                listening[key] = nil
            }
        case .subscribe:
            let updates = try MCPUpdates([message.params["uri"] ?? .null], server.api)
            for uri in updates.uris {
                if listening[uri] == nil { try requireRoom() }
                listening[uri]?.cancel()
                listening[uri] = Task {
                    do {
                        let observation = try await updates.begin()
                        answer(RPCAnswer.result(.object([]), to: id), call)
                        // It ends with the subscription; a storage that cannot be read changes no more.
                        try? await observation.follow { await self.send(RPCAnswer.updated($0), call) }
                    } catch {
                        let error = RPCError(
                            .internalError, Problem(error, at: server.api.clock.now()).detail)
                        answer(RPCAnswer.error(error, to: id), call)
                    }
                }
            }
        case .unsubscribe:
            listening.removeValue(forKey: message.params["uri"]?.word ?? "")?.cancel()
            answer(RPCAnswer.result(.object([]), to: id), call)
        case let method:
            running[key] = Task {
                let result: JSONValue
                do throws(RPCError) {
                    result = RPCAnswer.result(
                        try await self.result(of: method, message.params, in: era, call), to: id)
                } catch {
                    result = RPCAnswer.error(error, to: id)
                }
                // A cancelled request is not answered.
                if Task.isCancelled { return call.answered(bytes: 0, isFailure: true) }
                running[key] = nil
                answer(result, call)
            }
        }
    }

    /// - Throws: ``RPCError`` when there are as many subscriptions as may be.
    private func requireRoom() throws(RPCError) {
        guard listening.count >= Self.subscriptionsMax else { return }
        throw RPCError(
            .invalidRequest,
            "there are \(Self.subscriptionsMax) subscriptions, which is the limit; end one of them")
    }

    private func result(
        of method: MCPServer.Method, _ params: JSONValue, in era: MCPServer.Era, _ call: ServedCall
    ) async throws(RPCError) -> JSONValue {
        let result: Result<JSONValue, RPCError> = await call.running {
            do throws(RPCError) {
                return .success(try await server.result(of: method, params, in: era))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Sends the last message of a call.
    private func answer(_ message: JSONValue, _ call: ServedCall) {
        call.answered(bytes: write(message), isFailure: message["error"] != nil)
    }

    /// Sends a message that others follow.
    private func send(_ message: JSONValue, _ call: ServedCall) {
        call.add(bytes: write(message))
    }

    /// Returns the size of the message.
    private func write(_ message: JSONValue) -> Int {
        let bytes = message.line + [UInt8(ascii: "\n")]
        // An agent that does not read any more closes the other stream, too.
        try? write(bytes)
        return bytes.count
    }

    private static func key(_ id: JSONValue) -> String { String(decoding: id.line, as: UTF8.self) }
}
