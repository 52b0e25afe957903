import Foundation
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import Testing

@testable import Patchbay

@Suite("Secrets of a configuration")
struct SecretTests {
    /// The secret that a source with a token gets, or the error.
    private func token(_ value: String, _ environment: [String: String] = [:]) async throws -> String? {
        let received = Mutex<String?>(nil)
        let option = PluginOption("token", .secret, "who asks")
        let source = Plugin<ConfiguredSource>("api", "An API.", options: [option]) { settings in
            received.withLock { $0 = settings.text("token") }
            #expect(!settings.error("token", "is wrong").description.contains("s3cret"))
            return ConfiguredSource { _ in Source(name: "api") }
        }
        let plugins = PluginSet(storages: [.memory], sources: [source])
        let configuration = try GatewayConfiguration(
            plugins: plugins, flags: [.init("source.token", value, name: "--set")],
            environment: environment.merging(["HOME": "/home/ada"]) { $1 })
        _ = try await configuration.openSource()
        return received.withLock { $0 }
    }

    @Test("a secret comes from the environment or from a file that only its owner reads")
    func places() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/token"
        _ = FileManager.default.createFile(atPath: path, contents: Data("s3cret\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try await token("file:" + path) == "s3cret")
        #expect(try await token("env:TOKEN", ["TOKEN": "s3cret"]) == "s3cret")
    }

    @Test("a file that others read, a missing place and a secret written out are refused, never shown")
    func refused() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/token"
        _ = FileManager.default.createFile(atPath: path, contents: Data("s3cret".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        for value in ["file:" + path, "file:/none", "env:NONE", "s3cret"] {
            let error = await #expect(throws: PatchbayError.self) { try await token(value) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.description.contains("s3cret") == false)
        }
    }
}
