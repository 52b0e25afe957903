import CPlatform
import Dispatch
import Foundation
@testable import PatchbayTestKit
import Synchronization
import TestSupport

/// A proxy in front of the server's socket that can cut a connection at a chosen moment.
final class CuttingProxy: Sendable {
    enum Cut {
        /// Forwards the client's next message, and cuts when the server answers.
        case afterAnswer
        /// Cuts instead of forwarding the client's next message.
        case beforeForwarding
        /// Cuts, and keeps the message and the connection to the server; see ``releaseHeld()``.
        case holding
    }

    private struct State {
        var cut: Cut?
        var held: (words: [UInt8], link: Link)?
    }

    private let directory: TemporaryDirectory
    private let listener: Descriptor
    private let server: String
    private let state = Mutex(State())

    /// The folder in which libpq finds the proxy: `host=FOLDER`.
    var folder: String { directory.path }
    /// The number of cuts that have not happened yet.
    var cutsLeft: Int { state.withLock { $0.cut == nil ? 0 : 1 } }

    init() throws {
        directory = try TemporaryDirectory()
        let host = PostgreSQLServer.url?.split(separator: " ").first { $0.hasPrefix("host=") }
        server = "\(host?.dropFirst(5) ?? "")/.s.PGSQL.5432"
        listener = try Descriptor.listening(at: "\(directory.path)/.s.PGSQL.5432")
        Thread.detachNewThread { [weak self, listener] in
            while let client = listener.accept() { self?.serve(client) }
        }
    }

    deinit { listener.hangUp() }

    func cutNext(_ cut: Cut) { state.withLock { $0.cut = cut } }

    /// Forwards the held message and returns the server's answer.
    func releaseHeld() throws -> String {
        guard let held = state.withLock({ $0.held.take() }) else { throw BrokenPromise("nothing is held") }
        held.link.server.send(held.words)
        held.link.server.endSending()
        held.link.ended.wait()
        return String(decoding: held.link.collected.withLock { $0 }, as: UTF8.self)
    }

    private func serve(_ client: Descriptor) {
        guard let server = Descriptor.connected(to: server) else { return client.hangUp() }
        let link = Link(client, server)
        Thread.detachNewThread { link.passAnswers() }
        Thread.detachNewThread { [weak self] in
            while let words = client.receive() {
                guard self?.pass(words, link) == true else { break }
            }
            client.hangUp()
            if link.course.withLock({ $0 }) == .passing { server.hangUp() }
        }
    }

    /// Handles a message of the client. Returns false when the client's connection is to be cut.
    private func pass(_ words: [UInt8], _ link: Link) -> Bool {
        switch state.withLock({ $0.cut.take() }) {
        case nil: link.server.send(words)
        case .afterAnswer:
            link.course.withLock { $0 = .cuttingOnAnswer }
            link.server.send(words)
        case .beforeForwarding: return false
        case .holding:
            link.course.withLock { $0 = .collecting }
            state.withLock { $0.held = (words, link) }
            return false
        }
        return true
    }
}

/// A client and its connection to the server.
private final class Link: Sendable {
    enum Course { case passing, cuttingOnAnswer, collecting }

    let client: Descriptor
    let server: Descriptor
    let course = Mutex(Course.passing)
    let collected = Mutex<[UInt8]>([])
    let ended = DispatchSemaphore(value: 0)

    init(_ client: Descriptor, _ server: Descriptor) {
        self.client = client
        self.server = server
    }

    func passAnswers() {
        loop: while let words = server.receive() {
            switch course.withLock({ $0 }) {
            case .passing: client.send(words)
            case .cuttingOnAnswer: break loop
            case .collecting: collected.withLock { $0 += words }
            }
        }
        client.hangUp()
        server.hangUp()
        ended.signal()
    }
}

/// A socket, closed when it is released.
private final class Descriptor: Sendable {
    private let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    static func listening(at path: String) throws -> Descriptor {
        let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        let isBound = unsafe withAddress(path) { unsafe bind(descriptor.number, $0, $1) == 0 }
        guard isBound, listen(descriptor.number, 16) == 0 else {
            throw BrokenPromise("nothing listens at \(path)")
        }
        return descriptor
    }

    static func connected(to path: String) -> Descriptor? {
        let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        return unsafe withAddress(path) { unsafe connect(descriptor.number, $0, $1) == 0 } ? descriptor : nil
    }

    func accept() -> Descriptor? {
        let client = Glibc.accept(number, nil, nil)
        return client < 0 ? nil : Descriptor(client)
    }

    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(number, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    func endSending() { shutdown(number, Int32(SHUT_WR)) }
    func hangUp() { shutdown(number, Int32(SHUT_RDWR)) }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
        }
    }
}
