import PatchbayCore
import Testing

@Suite("Addresses of a server")
struct ServingOptionsTests {
    private let environment = ["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/ada"]

    private func options(_ values: [String: String]) throws -> ServingOptions {
        try ServingOptions(Settings("serve", values), environment: environment)
    }

    @Test("the default is a socket in the user's own folder")
    func usual() throws {
        let options = try options([:])
        #expect(options.listen == [.unix(path: "/run/user/7/patchbay.sock")])
        #expect(!options.allowsRemote)
        let error = #expect(throws: PatchbayError.self) {
            try ServingOptions(Settings("serve"), environment: [:])
        }
        #expect(error?.message.contains("XDG_RUNTIME_DIR") == true)
    }

    @Test("several addresses of each kind")
    func addresses() throws {
        let listen = "unix:~/p.sock, 127.0.0.1:0,[::1]:8080, localhost:80, systemd"
        #expect(
            try options(["listen": listen]).listen == [
                .unix(path: "/home/ada/p.sock"), .tcp(host: "127.0.0.1", port: 0),
                .tcp(host: "::1", port: 8080),
                .tcp(host: "localhost", port: 80), .systemd,
            ])
    }

    @Test(
        "an invalid address is refused",
        arguments: [
            "8080", ":8080", "*:8080", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1",
            "::1:8080",
            "unix:",
            "unix:${NOT_SET}/x", "unix:/" + String(repeating: "a", count: 120), "http://127.0.0.1:80", ",",
        ])
    func wrong(_ listen: String) {
        let error = #expect(throws: PatchbayError.self) { try options(["listen": listen]) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("serve.listen") == true)
    }

    @Test("a certificate needs its key, and vice versa")
    func certificate() throws {
        #expect(throws: PatchbayError.self) { try options(["certificate": "/c.pem"]) }
        #expect(throws: PatchbayError.self) { try options(["key": "/k.pem"]) }
        #expect(try options(["certificate": "/c.pem", "key": "/k.pem"]).tls?.key == "/k.pem")
    }

    @Test("other machines need a token and TLS, or a declared proxy")
    func remote() throws {
        let tls = ["certificate": "/c.pem", "key": "/k.pem"], token = ["token": "0123456789abcdef"]
        let proxy = ["behind-proxy": "true"]
        #expect(try !options(token).allowsRemote)
        #expect(try !options(tls).allowsRemote)
        #expect(try !options(proxy).allowsRemote)
        #expect(try options(token.merging(tls) { $1 }).allowsRemote)
        #expect(try options(token.merging(proxy) { $1 }).allowsRemote)
    }
}
