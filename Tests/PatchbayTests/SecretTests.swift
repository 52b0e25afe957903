import CPlatform
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
    /// The secret that a source with a token receives, or the error.
    private func token(_ value: String, _ environment: [String: String] = [:]) async throws -> String? {
        let received = Mutex<String?>(nil)
        let option = PluginOption("token", .secret, "the token to send")
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

    @Test("a secret comes from the environment or from a file that only its owner can read")
    func places() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/token"
        _ = FileManager.default.createFile(atPath: path, contents: Data("s3cret\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try await token("file:" + path) == "s3cret")
        #expect(try await token("env:TOKEN", ["TOKEN": "s3cret"]) == "s3cret")
    }

    @Test(
        "a file that others can read or write is refused",
        arguments: [
            (0o602, "written"), (0o620, "written"), (0o622, "written"), (0o640, "read"), (0o604, "read"),
        ])
    func modes(_ mode: Int, _ word: String) async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/token"
        _ = FileManager.default.createFile(atPath: path, contents: Data("s3cret".utf8))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = await #expect(throws: PatchbayError.self) { try await token("file:" + path) }
        #expect(error?.message.contains("can be \(word) by others") == true, "\(error?.message ?? "")")
    }

    @Test("a file of another user is refused", .enabled(if: geteuid() == 0, "needs root"))
    func owner() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/token"
        _ = FileManager.default.createFile(
            atPath: path, contents: Data("s3cret".utf8), attributes: [.posixPermissions: 0o600])
        unsafe #expect(chown(path, 12_345, 12_345) == 0)
        let error = await #expect(throws: PatchbayError.self) { try await token("file:" + path) }
        #expect(error?.message.contains("belongs to another user") == true, "\(error?.message ?? "")")
    }

    @Test(
        "a pipe is refused immediately, and a file that cannot be examined is not reported as missing",
        .timeLimit(.minutes(10)))
    func special() async throws {
        let folder = try TemporaryDirectory()
        unsafe #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/circle", withDestinationPath: folder.path + "/circle")
        for (name, words) in [
            ("pipe", "is not a regular file"), ("circle", "cannot be opened: too many levels"),
            ("none", "does not exist"),
        ] {
            let error = await #expect(throws: PatchbayError.self) {
                try await token("file:\(folder.path)/\(name)")
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
        #expect(throws: PatchbayError.self) { try FileReading.isFile(folder.path + "/circle") }
    }

    @Test("a link to the user's own file is followed")
    func linked() async throws {
        let folder = try TemporaryDirectory()
        _ = FileManager.default.createFile(
            atPath: folder.path + "/token", contents: Data("s3cret".utf8),
            attributes: [.posixPermissions: 0o600])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path + "/token")
        #expect(try await token("file:\(folder.path)/link") == "s3cret")
    }

    @Test("a file readable by others, a missing file and a literal secret are refused, and never shown")
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
