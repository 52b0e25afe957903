#if Live
import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that answers each path with scripted bytes and counts requests.
public final class ScriptedServer: Sendable {
    /// A step of an answer; steps run one after another.
    public enum Step: Sendable {
        case send([UInt8])
        /// Repeats the same bytes until the other side closes the connection.
        case repeating([UInt8], everyMicroseconds: Int64)
        case close
        /// Closes abruptly, so that the other side sees a reset.
        case reset

        /// A step that sends text as it is.
        public static func text(_ text: String) -> Step { .send(Array(text.utf8)) }

        /// Returns a complete answer with its length.
        public static func answer(
            _ body: String = "[]", status: String = "200 OK", fields: [String] = []
        ) -> Step {
            .answer(Array(body.utf8), status: status, fields: fields)
        }

        /// A step that sends a response with a body, its `Content-Length` and the given fields.
        public static func answer(_ body: [UInt8], status: String = "200 OK", fields: [String] = []) -> Step {
            let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)"]
            return .send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        }
    }

    /// A placeholder in header fields of answers for the host and port of the request.
    public static let hostMark = "{host}"

    /// The requests and connections seen so far.
    public struct Sight: Sendable {
        /// The number of connections accepted so far.
        public var connections = 0
        /// The number of connections that are open now.
        public var openConnections = 0
        /// The greatest number of connections that were open at the same time.
        public var openConnectionsMost = 0
        /// The heads of the requests.
        public var requests: [String] = []
    }

    /// The port on the loopback address.
    public let port: Int
    private let channel: any Channel
    private let sight: Sights

    /// - Parameter answers: the steps for each path; other paths get no answer.
    public convenience init(_ answers: [String: [Step]]) async throws { try await self.init { _ in answers } }

    /// - Parameter answers: returns the steps for each path, given the server's port.
    public init(_ answers: @escaping @Sendable (_ port: Int) -> [String: [Step]]) async throws {
        let sight = Sights()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Script(answers, sight))
                }
            }
        channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress!.port!
        self.sight = sight
    }

    deinit { channel.close(promise: nil) }

    /// The connections and requests that the server has seen so far.
    public var seen: Sight { sight.value.withLock { $0 } }

    /// Waits until `isSo` is true.
    public func wait(until isSo: (Sight) -> Bool) async throws {
        for await sight in sight.changes where isSo(sight) { return }
    }
}

/// Counts requests and notifies waiters.
private final class Sights: Sendable {
    let value = Mutex(ScriptedServer.Sight())
    let changes: AsyncStream<ScriptedServer.Sight>
    private let continuation: AsyncStream<ScriptedServer.Sight>.Continuation

    init() { (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_000)) }

    func change(_ body: (inout ScriptedServer.Sight) -> Void) {
        continuation.yield(
            value.withLock { value in
                body(&value)
                return value
            })
    }
}

private final class Script: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let makeAnswers: @Sendable (Int) -> [String: [ScriptedServer.Step]]
    private var answers: [String: [ScriptedServer.Step]] = [:]
    private let sight: Sights
    private var received = ""

    init(_ makeAnswers: @escaping @Sendable (Int) -> [String: [ScriptedServer.Step]], _ sight: Sights) {
        self.makeAnswers = makeAnswers
        self.sight = sight
    }

    func channelActive(context: ChannelHandlerContext) {
        answers = makeAnswers(context.channel.localAddress?.port ?? 0)
        sight.change { sight in
            sight.connections += 1
            sight.openConnections += 1
            sight.openConnectionsMost = max(sight.openConnectionsMost, sight.openConnections)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { sight.change { $0.openConnections -= 1 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        while let end = received.firstRange(of: "\r\n\r\n") {
            let head = String(received[..<end.lowerBound])
            received = String(received[end.upperBound...])
            sight.change { $0.requests.append(head) }
            let words = head.split(separator: " ")
            let path = words.count > 1 ? String(words[1]) : ""
            for step in answers[path] ?? [] { run(step.naming(host: ScriptedServer.host(in: head)), context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func run(_ step: ScriptedServer.Step, _ context: ChannelHandlerContext) {
        switch step {
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .repeating(let bytes, let interval):
            let channel = context.channel
            context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(interval)) {
                task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
            }
        case .close: context.close(promise: nil)
        case .reset:
            let channel = context.channel
            (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete
            { _ in
                channel.close(promise: nil)
            }
        }
    }
}

extension ScriptedServer {
    /// Returns the `Host` field of a request.
    fileprivate static func host(in head: String) -> String {
        let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host:") }
        return field.map { String($0.dropFirst("host:".count).drop { $0 == " " }) } ?? ""
    }
}

extension ScriptedServer.Step {
    /// Returns the step with the host in place of its mark in the header fields.
    fileprivate func naming(host: String) -> ScriptedServer.Step {
        guard case .send(let bytes) = self else { return self }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains(ScriptedServer.hostMark), Array(text.utf8) == bytes else { return self }
        return .send(Array(text.replacing(ScriptedServer.hostMark, with: host).utf8))
    }
}
#endif
