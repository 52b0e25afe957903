import Foundation
import Patchbay
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

@Suite("A gateway's configuration")
struct GatewayConfigurationTests {
    private func write(_ text: String, to path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func value(_ key: String, _ configuration: GatewayConfiguration) throws -> String? {
        try configuration.configuration.entries.first { $0.key == key }.map {
            $0.type == .path ? try configuration.path($0) : $0.value.text
        }
    }

    @Test("the default is the bundled recording with SQLite in the user's data folder")
    func defaults() throws {
        let folder = try TemporaryDirectory()
        let configuration = try GatewayConfiguration(environment: ["HOME": folder.path])
        #expect(configuration.file == nil)
        #expect(configuration.configuration.plugin("source") == "recorded")
        #expect(try value("source.path", configuration) == Checkout.path("Recordings/sample.har"))
        #expect(
            try value("storage.path", configuration)
                == folder.path + "/.local/share/patchbay/sample.recorded.sqlite")
    }

    @Test("a program without the bundled recordings names the remedy")
    func noRecordings() throws {
        let configuration = try GatewayConfiguration(environment: ["HOME": "/", "PATCHBAY_RECORDINGS": ""])
        let error = #expect(throws: PatchbayError.self) { try value("source.path", configuration) }
        #expect(error?.code == .invalidConfiguration && error?.key == "source.path")
        #expect(error?.message.contains("not found near this program; choose a source") == true)
    }

    @Test(
        "the default storage is named after the source, or after its recording",
        arguments: [
            ("recorded", "/tmp/team.har", "team.recorded"), ("recorded", "/tmp/github/", "github.recorded"),
            ("recorded", "/", "recorded"), ("recorded", "/x/.har", "recorded"),
            ("recorded", "..", "recorded"),
            ("github", nil, "github"), ("synthetic", nil, "synthetic"),
        ] as [(String, String?, String)])
    func sourceNames(_ source: String, _ path: String?, _ name: String) throws {
        var values = ["source": source]
        values["source.path"] = path
        let flags = values.map { GatewayConfiguration.Flag($0.key, $0.value, name: "test") }
        let environment = ["HOME": "/home/ada"]
        for (storage, suffix) in [("sqlite", "sqlite"), ("lmdb", "lmdb"), ("flatfile", "flatfile")] {
            let configuration = try GatewayConfiguration(
                flags: flags + [.init("storage", storage, name: "test")], environment: environment)
            #expect(configuration.sourceName == name)
            let expected = "/home/ada/.local/share/patchbay/\(name).\(suffix)"
            #expect(try value("storage.path", configuration) == expected)
        }
    }

    @Test("the default storage of a plugin is not that of another source with its name")
    func ownNames() throws {
        for (plugin, name) in [("recorded", "github.recorded"), ("synthetic", "github.synthetic")] {
            let flags = [("source", "github"), ("source.github", plugin)].map { key, value in
                GatewayConfiguration.Flag(key, value, name: "test")
            }
            let configuration = try GatewayConfiguration(flags: flags, environment: ["HOME": "/home/ada"])
            #expect(configuration.sourceName == name)
        }
    }

    @Test("the named file overrides PATCHBAY_CONFIG, which overrides the file in the home folder")
    func search() throws {
        let folder = try TemporaryDirectory()
        try write("storage = lmdb", to: folder.path + "/.config/patchbay/patchbay.conf")
        try write("storage = flatfile", to: folder.path + "/named.conf")
        try write("storage = memory", to: folder.path + "/variable.conf")
        var environment = ["HOME": folder.path, "PATCHBAY_CONFIG": ""]
        for base in [nil, "", "relative", folder.path + "/.config"] {
            environment["XDG_CONFIG_HOME"] = base
            let found = try GatewayConfiguration(environment: environment)
            #expect(found.configuration.plugin("storage") == "lmdb", "\(base ?? "not set")")
        }
        environment["PATCHBAY_CONFIG"] = folder.path + "/variable.conf"
        #expect(
            try GatewayConfiguration(environment: environment).configuration.plugin("storage") == "memory")
        let named = try GatewayConfiguration(file: folder.path + "/named.conf", environment: environment)
        #expect(named.configuration.plugin("storage") == "flatfile")
    }

    @Test("a named file that does not exist, or is a folder, is an error")
    func missing() throws {
        let folder = try TemporaryDirectory()
        for path in [folder.path + "/none.conf", folder.path] {
            let error = #expect(throws: PatchbayError.self) {
                try GatewayConfiguration(file: path, environment: [:])
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test("a path is relative to the file that contains it, and one from a flag to the working directory")
    func paths() throws {
        let folder = try TemporaryDirectory()
        try write("storage.path = data/x.sqlite\n", to: folder.path + "/a.conf")
        let environment = ["HOME": "/home/ada"]
        let fromFile = try GatewayConfiguration(file: folder.path + "/a.conf", environment: environment)
        #expect(try value("storage.path", fromFile) == folder.path + "/data/x.sqlite")
        let fromFlag = try GatewayConfiguration(
            flags: [.init("storage.path", "y", name: "--set")], environment: environment)
        #expect(try value("storage.path", fromFlag) == "y")
    }

    @Test(
        "a found file needs consent for addresses and secrets of any named source, listed or not",
        arguments: [
            ("source = github slack\nsource.github.as = hub\nsource.slack.concurrency = 2", []),
            ("source = work\nsource.work = github\nsource.work.token = env:T", ["source.work.token"]),
            ("source.work.base-url = https://x.example", ["source.work.base-url"]),
            ("source.a.definition = a.conf\nsource.a.path = b.har", ["source.a.definition"]),
            ("source.a.path = ../b.har", ["source.a.path"]),
        ] as [(String, [String])])
    func consent(_ text: String, _ keys: [String]) throws {
        let folder = try TemporaryDirectory()
        try write(text, to: folder.path + "/patchbay.conf")
        let found = try FoundFile(
            at: folder.path + "/patchbay.conf", plugins: .builtIn, environment: ["HOME": folder.path])
        #expect(found.entries.map(\.key) == keys)
    }

    @Test("the storage of several sources has one name, even when one of them is chosen")
    func severalName() throws {
        let values = ["source": "github slack", "source.github.token": "env:T"]
        let configuration = try GatewayConfiguration(values)
        #expect(configuration.sourceName == "patchbay")
        #expect(try configuration.choosing("slack").sourceName == "patchbay")
        #expect(try configuration.choosing("slack").sources.map(\.key) == ["source.slack"])
        let error = #expect(throws: PatchbayError.self) { try configuration.choosing("slak") }
        #expect(error?.message.contains("no source \"slak\" (did you mean \"slack\"?)") == true)
        #expect(try GatewayConfiguration(["source": "work", "source.work": "github"]).sourceName == "work")
    }
}
