#if Live
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import HTTPTypes
import NetworkingLive
import PatchbayCore
import PatchbayTestKit
import TestServer
import Testing

@testable import ServingHTTP

@Suite("Listening and stopping (Live)", .timeLimit(.minutes(5)))
struct ListeningTests {
    private func listening(_ address: ServingAddress) -> ServingOptions { ServingOptions(listen: [address]) }

    @Test("a socket is private to its owner, replaces a stale one, and is removed with the server")
    func unix() async throws {
        try await TemporaryDirectory.with { folder in
            let path = folder.path + "/p.sock"
            let stale = try UnixSocket(at: path)
            close(stale.descriptor)
            try await TestedServer.with(TestResponder(), listening(.unix(path: path))) {
                (server) async throws in
                #expect(server.address == "unix:\(path)")
                var status = stat()
                #expect(unsafe lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
                let answer = try await server.client().ask(
                    "GET / HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n")
                #expect(answer.hasSuffix("GET / any 0"))
                await #expect(throws: PatchbayError.self, "another server is running") {
                    try await TestedServer(TestResponder(), listening(.unix(path: path))).stop()
                }
                #expect(try await server.client().ask(server.request()).statuses == [200])
            }
            #expect(unsafe access(path, F_OK) != 0)
        }
    }

    @Test("a file that is not a socket stays, and the folder must exist")
    func notASocket() async throws {
        try await TemporaryDirectory.with { folder in
            let path = folder.path + "/file"
            let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
            close(file)
            let error = await #expect(throws: PatchbayError.self) {
                try await TestedServer(TestResponder(), listening(.unix(path: path))).stop()
            }
            #expect(error?.code == .conflict)
            #expect(unsafe access(path, F_OK) == 0)
            let missing = await #expect(throws: PatchbayError.self) {
                try await TestedServer(TestResponder(), listening(.unix(path: folder.path + "/no/s"))).stop()
            }
            #expect(missing?.code == .notFound)
            #expect(missing?.message.hasSuffix("; create its folder, or listen on another path") == true)
        }
    }

    @Test("addresses that other machines can reach need protection, and a used port is busy")
    func addresses() async throws {
        for host in ["0.0.0.0", "::"] {
            let error = await #expect(throws: PatchbayError.self) {
                try await TestedServer(TestResponder(), listening(.tcp(host: host, port: 0))).stop()
            }
            #expect(error?.message.contains("serve.token") == true)
        }
        try await TestedServer.with { (server) async throws in
            let port = try #require(server.address.split(separator: ":").last.flatMap { Int($0) })
            let error = await #expect(throws: PatchbayError.self) {
                try await TestedServer(TestResponder(), listening(.tcp(host: "127.0.0.1", port: port))).stop()
            }
            #expect(error?.code == .busy)
            #expect(error?.message.hasSuffix("; choose another port") == true)
        }
        var options = listening(.tcp(host: "0.0.0.0", port: 0))
        options.allowsRemote = true
        try await TestedServer.with(TestResponder(), options) { #expect($0.address.hasPrefix("0.0.0.0:")) }
    }

    @Test("TLS works with a certificate, and an invalid one is named")
    func tls() async throws {
        try await TemporaryDirectory.with { folder in
            let certificate = folder.path + "/c.pem", key = folder.path + "/k.pem"
            try write(TestCertificate.certificate, certificate)
            try write(TestCertificate.key, key)
            var options = listening(.tcp(host: "127.0.0.1", port: 0))
            options.tls = (certificate, key)
            try await TestedServer.with(TestResponder(), options) { (server) async throws in
                var client = LiveOptions()
                client.certificateFile = certificate
                let network = try LiveNetworking(client)
                let host = "localhost:" + (server.address.split(separator: ":").last ?? "")
                let answer = try await network.send(
                    HTTPRequest(method: .get, scheme: "https", authority: host, path: "/tls"), body: [])
                #expect(String(decoding: answer.body, as: UTF8.self) == "GET /tls \(host) 0")
                try await network.close()
                #expect(
                    try await server.client().ask(server.request()).statuses.isEmpty, "no answer without TLS")
            }
            options.tls = (key, key)
            let error = await #expect(throws: PatchbayError.self) {
                try await TestedServer(TestResponder(), options).stop()
            }
            #expect(error?.message.hasPrefix("serve.certificate") == true)
        }
    }

    @Test("stopping answers running requests, ends events and idle connections, and accepts no more")
    func stop() async throws {
        let begun = AsyncStream.makeStream(of: Void.self), released = AsyncStream.makeStream(of: Void.self)
        let responder = TestResponder {
            begun.continuation.yield()
            for await _ in released.stream { return }
        }
        // A free port could be that of another test's server as soon as this one has stopped.
        try await TemporaryDirectory.with { folder in
            let server = try await TestedServer(responder, listening(.unix(path: folder.path + "/p.sock")))
            let busy = try server.client(), idle = try server.client(), events = try server.client()
            await events.send(server.request("/events", []))
            _ = await events.until("data: 1\n\n")
            await idle.send(server.request("/x", []))
            _ = await idle.until("\(server.address) 0")
            await busy.send(server.request("/wait", []))
            for await _ in begun.stream { break }
            async let stopped: Void = server.stop()
            #expect(await idle.untilClosed().isEmpty)
            _ = await events.untilClosed()
            #expect(throws: (any Error).self) { try server.client() }
            released.continuation.yield()
            let answer = await busy.untilClosed()
            #expect(answer.statuses == [200] && answer.hasSuffix("waited"))
            try await stopped
        }
    }

    @Test("the server stops without an answer that takes too long, and the work for it ends later")
    func lateAnswer() async throws {
        let begun = AsyncStream.makeStream(of: Void.self), released = AsyncStream.makeStream(of: Void.self)
        let ended = AsyncStream.makeStream(of: Void.self)
        // Like a read that waits for a lock, the wait does not end when its task is cancelled.
        let lock = Task { for await _ in released.stream {} }
        let responder = TestResponder {
            begun.continuation.finish()
            await lock.value
            ended.continuation.finish()
        }
        var options = listening(.tcp(host: "127.0.0.1", port: 0))
        options.stopSeconds = 1
        let server = try await TestedServer(responder, options)
        let client = try server.client()
        await client.send(server.request("/wait", []))
        for await _ in begun.stream {}
        try await server.stop()
        #expect(await client.untilClosed().isEmpty)
        released.continuation.finish()
        for await _ in ended.stream {}
    }

    @Test("systemd is notified in one datagram, and sockets of another process are not used")
    func systemd() throws {
        for environment in [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "1", "LISTEN_FDS": "1"],
            ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"],
        ] {
            #expect(throws: PatchbayError.self) { try ServiceManager.sockets(environment) }
        }
        let folder = try TemporaryDirectory()
        let socket = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(socket) }
        let isBound = unsafe RawClient.withName(RawClient.unixName("\(folder.path)/n")) {
            unsafe bind(socket, $0, $1) == 0
        }
        #expect(isBound)
        ServiceManager.notify("READY=1", ["NOTIFY_SOCKET": folder.path + "/n"])
        ServiceManager.notify("READY=1", [:])
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe recv(socket, &bytes, 100, CInt(MSG_DONTWAIT))
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    }

    private func write(_ text: String, _ path: String) throws {
        let file = unsafe open(path, O_CREAT | O_WRONLY, 0o600)
        defer { close(file) }
        #expect(unsafe Glibc.write(file, text, text.utf8.count) == text.utf8.count)
    }
}
#endif
