import PatchbayCore
import PatchbayServer
import Testing

@Suite("A server answers to its own names only")
struct HostTests {
    private func status(
        _ host: String?, over connection: ServerRequest.Connection = Requests.tcp, hosts: Set<String> = []
    ) async -> Int {
        var options = ServerOptions()
        options.hosts = hosts
        let guarded = GuardedResponder(EchoResponder(), options)
        return await guarded.respond(to: Requests.make(host: host, over: connection)).status
    }

    @Test(
        "names of this machine are served on a loopback address",
        arguments: ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
    func loopbackNames(_ host: String) async { #expect(await status(host) == 200) }

    @Test(
        "names that an attacker could point here are refused",
        arguments: [
            nil, "", "evil.example", "evil.example:8080", "127.0.0.1.evil.example:8080",
            "localhost.evil.example:8080", "[::ffff:1.2.3.4]:8080", "127.0.0.1", "127.0.0.1:8081",
            "localhost:", "localhost:x", "[::1", "::1", "127.0.0.1:8080:8080", "10.0.0.1:8080",
        ])
    func foreignNames(_ host: String?) async { #expect(await status(host) == 421) }

    @Test("on other addresses only the address itself is accepted, unless names are listed")
    func remoteAddress() async {
        let remote = ServerRequest.Connection(
            local: .tcp(address: "192.0.2.7", port: 443), remote: .tcp(address: "192.0.2.9", port: 5),
            isEncrypted: true)
        #expect(await status("192.0.2.7", over: remote) == 200)
        #expect(await status("localhost", over: remote) == 421)
        #expect(await status("api.example.org", over: remote) == 421)
        #expect(await status("api.example.org", over: remote, hosts: ["api.example.org"]) == 200)
        #expect(await status("API.example.org:8443", over: remote, hosts: ["api.example.org"]) == 200)
        #expect(await status("api.example.org:1", over: remote, hosts: ["api.example.org:2"]) == 421)
    }

    @Test("a Unix domain socket accepts any name, because no web page can reach it")
    func unix() async {
        #expect(await status("api.github.com", over: Requests.unix) == 200)
        #expect(await status(nil, over: Requests.unix) == 200)
    }
}
