#if Live
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import PatchbayCore
import PatchbayTestKit
import TestServer
import Testing

@testable import NetworkingLive

@Suite("TLS", .timeLimit(.minutes(5)))
struct TLSTests {
    /// Starts a TLS server that speaks HTTP/1.1 or HTTP/2, as the client prefers, and answers with the version.
    private func server(_ protocols: [String] = ["h2", "http/1.1"]) async throws -> any Channel {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(TestCertificate.certificate.utf8)).map
            {
                .certificate($0)
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(TestCertificate.key.utf8), format: .pem)))
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }.flatMap {
                    channel.configureCommonHTTPServerPipeline { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(Greeting())
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private func network(trusting certificate: String? = TestCertificate.certificate) throws -> LiveNetworking
    {
        var options = LiveOptions()
        guard let certificate else { return try LiveNetworking(options) }
        let folder = try TemporaryDirectory()
        options.certificateFile = try folder.write(certificate, to: "ca.pem")
        return try LiveNetworking(options)
    }

    @Test("the advice about an untrusted certificate depends on whether the system trusts any")
    func advice() {
        #expect(
            SystemAuthorities.advice(whenTheyExist: true).contains("add its issuer to networking.ca-file"))
        #expect(
            SystemAuthorities.advice(whenTheyExist: false).contains("install the package ca-certificates"))
    }

    @Test(
        "HTTP/2 is used if the server supports it, otherwise HTTP/1.1",
        arguments: [["h2", "http/1.1"], ["http/1.1"]])
    func versions(_ protocols: [String]) async throws {
        let server = try await server(protocols)
        let network = try network()
        let port = server.localAddress!.port!
        for _ in 0..<3 {
            let response = try await network.get("/", port: port, scheme: "https", host: "localhost")
            #expect(response.text == "hello")
            #expect(response.head.headerFields[.init("X-Over")!] == (protocols[0] == "h2" ? "2" : "1"))
        }
        let status = try await network.get("/status/304", port: port, scheme: "https", host: "localhost")
        #expect(status.head.status.code == 304)
        let error = await #expect(throws: PatchbayError.self) {
            try await network.get("/status/99", port: port, scheme: "https", host: "localhost")
        }
        #expect(error?.code == .invalidResponse)
        try await network.close()
        try await server.close()
    }

    @Test("an untrusted certificate is refused, and the message says so")
    func untrusted() async throws {
        let server = try await server()
        let network = try network(trusting: nil)
        let error = await #expect(throws: PatchbayError.self) {
            try await network.get("/", port: server.localAddress!.port!, scheme: "https", host: "localhost")
        }
        #expect(error?.code == .offline)
        #expect(error?.message.contains("certificate that is not trusted") == true, "\(error!)")
        try await network.close()
        try await server.close()
    }

    @Test("a certificate for another name is refused, and the message says so")
    func otherName() async throws {
        let server = try await server()
        let network = try network()
        let error = await #expect(throws: PatchbayError.self) {
            try await network.get("/", port: server.localAddress!.port!, scheme: "https")
        }
        #expect(error?.code == .offline)
        #expect(error?.message.contains("certificate for another name") == true, "\(error!)")
        try await network.close()
        try await server.close()
    }

    @Test("a missing or empty certificate file is reported when the network opens")
    func certificateFile() throws {
        for certificate in ["", "no certificate"] {
            let error = #expect(throws: PatchbayError.self) { try network(trusting: certificate) }
            #expect(error?.code == .invalidConfiguration)
        }
        var options = LiveOptions()
        options.certificateFile = "/none/ca.pem"
        let error = #expect(throws: PatchbayError.self) { try LiveNetworking(options) }
        #expect(error?.message.contains("/none/ca.pem") == true)
    }

    @Test("a server without TLS is reported as such")
    func noTLS() async throws {
        let server = try await ScriptedServer(["/": [.answer("[]")]])
        var options = LiveOptions()
        options.connectTimeoutSeconds = 1
        let network = try LiveNetworking(options)
        let error = await #expect(throws: PatchbayError.self) {
            try await network.get("/", port: server.port, scheme: "https", host: "localhost")
        }
        #expect(error?.code == .offline)
        try await network.close()
    }
}

/// Answers `hello` in the version of the request, and the status of `/status/NNN`.
private final class Greeting: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private var path = ""
    private var version = ""

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            path = head.uri
            version = "\(head.version.major)"
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        let status = path.hasPrefix("/status/") ? Int(path.dropFirst(8)) ?? 200 : 200
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: status), headers: ["X-Over": version])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if status == 200 {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
#endif
