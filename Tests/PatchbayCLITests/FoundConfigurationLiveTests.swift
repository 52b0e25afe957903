#if Live
import CPlatform
import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Consent to `./patchbay.conf`, which is found rather than chosen.
@Suite("A configuration file in the working directory", .mayBlock, .timeLimit(.minutes(10)))
struct FoundConfigurationLiveTests {
    private let home: TemporaryDirectory
    private let command: Command
    private var path: String { command.directory + "/patchbay.conf" }

    init() throws {
        home = try TemporaryDirectory()
        var command = try Command()
        command.environment["HOME"] = home.path
        self.command = command
    }

    private func write(_ text: String, mode: Int = 0o644, to path: String? = nil) throws {
        let path = path ?? self.path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("its command runs only after consent, and not after a change or a withdrawal")
    func runs() throws {
        let text =
            "source = github\nsource.base-url = http://127.0.0.1:9\nsource.token = command:touch PWNED\n"
        try write(text)
        func isRun() throws -> Bool {
            let outcome = try command.run("doctor", "--offline")
            let marker = command.directory + "/PWNED"
            defer { try? FileManager.default.removeItem(atPath: marker) }
            #expect(outcome.status != 0)
            return FileManager.default.fileExists(atPath: marker)
        }
        #expect(try !isRun())
        let refused = try command.run("list", "users")
        #expect(refused.status == 7, "\(refused)")
        #expect(refused.errors.contains("source.base-url (line 2), source.token (line 3)"), "\(refused)")
        #expect(refused.errors.contains("patchbay config trust"), "\(refused)")
        let trust = try command.run("config", "trust")
        #expect(trust.status == 0 && trust.errors.contains("source.token = command:touch PWNED"), "\(trust)")
        #expect(try isRun())
        try write(text + "storage = memory\n")
        #expect(try !isRun())
        #expect(try command.run("config", "trust", "patchbay.conf").status == 0)
        #expect(try isRun())
        #expect(try command.run("config", "distrust").errors.contains("no longer trusted"))
        #expect(try !isRun())
        #expect(try command.run("config", "distrust").errors.contains("was not trusted"))
    }

    @Test(
        "secrets, addresses, networking and paths outside its folder need consent; nothing else does",
        arguments: [
            ("source = github\nsource.token = env:GITHUB_TOKEN", true),
            ("source = github\nsource.token = file:token", true),
            ("source = github\nsource.base-url = https://evil.example", true),
            ("networking.proxy = none", true), ("networking.ca-file = ca.pem", true),
            ("storage.path = ../users.sqlite", true), ("storage.path = /tmp/users.sqlite", true),
            ("storage.path = ~/users.sqlite", true), ("storage.path = ${HOME}/users.sqlite", true),
            ("storage.path = ../${PATCHBAY_SOURCE_NAME}.sqlite", true),
            ("storage.path = data/${PATCHBAY_SOURCE_NAME}.sqlite", false),
            ("storage.path = link/users.sqlite", true), ("storage.path = dangling", true),
            ("storage.path = none/../../users.sqlite", true), ("storage.path = .", false),
            ("storage.path = users.sqlite", false), ("storage.path = data/none/users.sqlite", false),
            ("storage.path = data/../users.sqlite", false), ("storage = lmdb\nlist.limit = 7", false),
            ("storage.durability = normal\nreading.policy = local-only", false),
            ("source = synthetic\nsource.users = 10", false), ("", false),
        ])
    func keys(_ text: String, _ needsConsent: Bool) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: command.directory + "/data", withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: command.directory + "/link", withDestinationPath: home.path)
        try files.createSymbolicLink(
            atPath: command.directory + "/dangling", withDestinationPath: home.path + "/none")
        try write(text)
        let check = try command.run("config", "check")
        #expect(check.errors.contains("need your consent") == needsConsent, "\(check)")
        #expect(check.status == (needsConsent ? 7 : 0), "\(check)")
        try files.moveItem(atPath: path, toPath: command.directory + "/chosen.conf")
        #expect(try command.run("config", "check", "--config", "chosen.conf").status == 0)
    }

    @Test(
        "a file that others may write to is refused, whether chosen or found",
        arguments: [(0o666, true), (0o602, true), (0o646, true), (0o644, false), (0o600, false)])
    func modes(_ mode: Int, _ isRefused: Bool) throws {
        try write("storage = memory\n", mode: mode)
        try expect(isRefused: isRefused)
    }

    @Test(
        "a group may write if it is the owner's own", .enabled(if: geteuid() == 0, "needs root"),
        arguments: [0, 12_345])
    func group(_ number: UInt32) throws {
        try write("storage = memory\n", mode: 0o664)
        unsafe #expect(chown(path, 0, number) == 0)
        try expect(isRefused: number != 0)
    }

    private func expect(isRefused: Bool) throws {
        for outcome in try [command.run("config", "check"), command.run("config", "check", "--config", path)]
        {
            #expect((outcome.status == 3) == isRefused, "\(outcome)")
            #expect(outcome.errors.contains("can be written by others") == isRefused, "\(outcome)")
        }
    }

    @Test(
        "a file of another user is refused, whether chosen or found",
        .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        try write("storage = memory\n")
        unsafe #expect(chown(path, 12_345, 12_345) == 0)
        for outcome in try [command.run("config", "check"), command.run("config", "check", "--config", path)]
        {
            #expect(outcome.status == 3 && outcome.errors.contains("belongs to another user"), "\(outcome)")
        }
        #expect(try command.run("config", "trust").status == 3)
    }

    @Test("a pipe is refused at once, whether chosen or found")
    func pipes() throws {
        unsafe #expect(mkfifo(path, 0o600) == 0)
        let found = try command.run("config", "check")
        #expect(found.status == 3 && found.errors.contains("is not a regular file"), "\(found)")
        let chosen = try command.run("config", "check", "--config", path)
        #expect(chosen.status == 3 && chosen.errors.contains("is not a regular file"), "\(chosen)")
    }

    @Test(
        "consent is for one file at one path: a link elsewhere has none, and a changed target needs new consent"
    )
    func links() throws {
        let other = try TemporaryDirectory()
        let target = other.path + "/patchbay.conf"
        try write("storage.path = ../users.sqlite\n", to: target)
        #expect(try command.run("config", "trust", target).status == 0)
        var there = command
        there.directory = other.path
        #expect(try there.run("config", "check").status == 0)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(try command.run("config", "check").status == 7)
        #expect(try command.run("config", "trust").status == 0)
        #expect(try command.run("config", "check").status == 0)
        try write("storage.path = ../other.sqlite\n", to: target)
        #expect(try command.run("config", "check").status == 7)
    }

    @Test("a folder reached through a link counts as the folder itself")
    func linkedFolder() throws {
        try write("storage.path = ../users.sqlite\n")
        let link = home.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: command.directory)
        #expect(try command.run("config", "trust", link + "/patchbay.conf").status == 0)
        #expect(try command.run("config", "check").status == 0)
    }

    @Test("the file in the home directory counts as chosen, even if its folder is the working directory")
    func homeFolder() throws {
        let settings = home.path + "/.config/patchbay"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        try write("storage.path = ../users.sqlite\n", to: settings + "/patchbay.conf")
        var command = command
        for directory in [command.directory, settings] {
            command.directory = directory
            let check = try command.run("config", "check")
            #expect(check.status == 0 && check.output.contains(settings), "\(check)")
        }
    }

    @Test("the record of a consent is private to its owner; a record that is not is ignored")
    func records() throws {
        try write("storage.path = ../users.sqlite\n")
        #expect(try command.run("config", "trust").status == 0)
        let records = home.path + "/.local/state/patchbay/trusted"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: records).first)
        let attributes = try FileManager.default.attributesOfItem(atPath: records + "/" + name)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.attributesOfItem(atPath: records)[.posixPermissions] as? Int == 0o700)
        unsafe #expect(chmod(records + "/" + name, 0o666) == 0)
        #expect(try command.run("config", "check").status == 3)
    }

    @Test("config trust refuses files that need no consent or are never found")
    func needless() throws {
        #expect(try command.run("config", "trust").status == 4)
        try write("storage = memory\n")
        #expect(try command.run("config", "trust").errors.contains("needs consent"))
        #expect(!FileManager.default.fileExists(atPath: home.path + "/.local/state"))
        try write("storage.path = ../x\n", to: command.directory + "/other.conf")
        let other = try command.run("config", "trust", "other.conf")
        #expect(other.status != 0 && other.errors.contains("needs no consent"), "\(other)")
    }
}
#endif
