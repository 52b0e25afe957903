import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Tests of editing, clearing, watching and marking users.
@Suite("The commands that change users", .mayBlock, .timeLimit(.minutes(5)))
struct UserCommandTests {
    private static let storages = StoragePlaces.usual

    private let command: Command

    init() throws { command = try Command() }

    /// Runs a command that must succeed.
    private func run(_ storage: String, _ arguments: String...) throws -> Command.Outcome {
        let outcome = try command.run(arguments + ["--storage", storage])
        #expect(outcome.status == 0, "\(storage) \(arguments): \(outcome.errors)")
        return outcome
    }

    /// Compares with a golden file, ignoring times, or rewrites the file if `PATCHBAY_UPDATE` is set.
    private func expect(_ text: String, is name: String, _ storage: String) throws {
        let text = text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "TIME")
        #expect(
            try text == Checkout.golden("Tests/PatchbayCLITests/Golden/\(name)", for: text),
            "\(name) over \(storage)")
    }

    @Test("an edited name is shown with the upstream name and can be reverted", arguments: storages)
    func edit(_ storage: String) throws {
        _ = try run(storage, "show", "users", "Tessaline-Oldmoor")
        let edited = try run(storage, "edit", "users", "tessaline-fenwater", "name= My Tess ")
        #expect(edited.errors.hasPrefix("Tessaline-Fenwater is shown as \"My Tess\" (upstream: "))
        #expect(edited.output.isEmpty)
        let lines = try run(storage, "edit", "users", "tessaline-fenwater", "name=Two\nlines")
        #expect(lines.errors.split(separator: "\n").count == 1, "\(lines.errors)")
        #expect(lines.errors.contains(#""Two\nlines""#))
        _ = try run(storage, "edit", "users", "tessaline-fenwater", "name=My Tess")
        let again = try run(storage, "edit", "users", "tessaline-fenwater", "name=My Tess")
        #expect(again.errors.hasPrefix("nothing changed; "))
        let shown = try run(storage, "show", "users", "Tessaline-Fenwater", "--offline")
        try expect(shown.output, is: "users-show-edited.txt", storage)
        let reverted = try run(storage, "revert", "users", "Tessaline-Fenwater")
        #expect(reverted.errors.hasPrefix("Tessaline-Fenwater is again shown as "))
    }

    @Test(
        "clear asks for --yes, keeps edits on request, and init fetches the first page once",
        arguments: storages)
    func clear(_ storage: String) throws {
        let first = try run(storage, "init", "users").errors
        #expect(first.contains("users fetched from"))
        #expect(try run(storage, "init", "users").errors.contains("nothing was fetched"))
        _ = try run(storage, "edit", "users", "Marlow-Quern", "name=Mine")
        let refused = try command.run("clear", "users", "--storage", storage)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("remove all users and all edited names from \(storage)"))
        #expect(refused.errors.contains("--yes"))
        let kept = try run(storage, "clear", "users", "--yes", "--keep-edits")
        #expect(kept.errors.hasSuffix(" users removed, 1 edited name is kept\n"))
        #expect(try run(storage, "list", "users", "--offline").errors.hasPrefix("0 users"))
        #expect(try run(storage, "init", "users").errors == first)
        #expect(try run(storage, "list", "users", "--offline").output.contains("Mine"))
        let removed = try run(storage, "clear", "users", "--yes")
        #expect(removed.errors.hasSuffix(" users and 1 edited name removed\n"))
        _ = try run(storage, "init", "users")
        #expect(try !run(storage, "list", "users", "--offline").output.contains("Mine"))
    }

    @Test("favourites are listed, grouped, searched and marked in the list", arguments: storages)
    func favourites(_ storage: String) throws {
        _ = try run(storage, "list", "users")
        for login in ["Ottoline-Brack", "iskra-tumannaya", "Marlow-Quern"] {
            #expect(
                try run(storage, "favourites", "add", "users", login).errors
                    == "\(login) is now a favourite\n")
        }
        _ = try run(storage, "edit", "users", "iskra-tumannaya", "name=Искра")
        _ = try run(storage, "favourites", "add", "users", "iskra-tumannaya")
        let again = try run(storage, "favourites", "add", "users", "Marlow-Quern")
        #expect(again.errors == "Marlow-Quern is already a favourite\n")
        try expect(run(storage, "favourites", "list", "users").output, is: "favourites-list.txt", storage)
        let grouped = try run(storage, "favourites", "list", "users", "--group", "initial", "--format", "csv")
        try expect(grouped.output, is: "favourites-grouped.csv", storage)
        let list = try run(storage, "list", "users", "--with", "favourite", "--offline", "--limit", "5")
        try expect(list.output, is: "users-list-favourite.txt", storage)
        #expect(try run(storage, "favourites", "search", "users", "искра").errors == "1 favourite\n")
        let removed = try run(storage, "favourites", "remove", "users", "MARLOW-QUERN")
        #expect(removed.errors == "Marlow-Quern is no longer a favourite\n")
        #expect(try run(storage, "favourites", "list", "users").errors == "2 favourites\n")
    }

    @Test(
        "a row that is not stored is fetched to be edited or marked; a stored one is not", arguments: storages
    )
    func unstored(_ storage: String) throws {
        let edited = try run(storage, "edit", "users", "marlow-quern", "name=Mine")
        #expect(edited.errors.contains("Marlow-Quern is shown as \"Mine\" (upstream: \""), "\(edited.errors)")
        let added = try run(storage, "favourites", "add", "users", "ottoline-brack")
        #expect(added.errors == "Ottoline-Brack is now a favourite\n")
        _ = try run(storage, "list", "users")
        // The list has no names, so a request would have found one.
        let listed = try run(storage, "edit", "users", "tessaline-fenwater", "name=Tess")
        #expect(
            listed.errors.hasSuffix(" is shown as \"Tess\" (upstream: not fetched)\n"), "\(listed.errors)")
        let other = try run(storage, "favourites", "add", "repos", "Marlow-Quern/beacon")
        #expect(other.errors == "Marlow-Quern/beacon is now a favourite\n")
        let favourites = try run(storage, "favourites", "list", "users")
        #expect(favourites.errors == "1 favourite\n")
    }

    @Test("a list that has reached its maximum length reports it")
    func maximum() throws {
        let list = try run("memory", "list", "users", "--maximum", "5")
        #expect(list.errors.hasSuffix(", the limit of 5 is reached\n"))
        #expect(list.output.split(separator: "\n").count == 6)
    }

    @Test(
        "a wrong call prints one clear line and has a documented status",
        arguments: [
            (["edit", "users", "nobody"], 2, "write name=TEXT"),
            (["clear", "users", "--yes", "--storage", "lmdb"], 4, "nothing is stored at"),
            (
                ["list", "users", "--maximum", "0"], 2,
                "'0' is invalid for '--maximum <count>': expected a whole number, at least 1"
            ),
            (["list", "users", "--with", "colour"], 2, "colour"),
            (["watch", "users", "--limit", "0"], 2, "'0' is invalid for '--limit <count>': expected"),
            (["favourites", "list", "users", "--group", "size"], 2, "size"),
        ])
    func wrongCalls(_ arguments: [String], _ status: Int32, _ words: String) throws {
        try command.run(arguments).expectRefusal(status, words)
    }

    @Test("rows that are not stored are reported, with what to do", arguments: storages)
    func unknown(_ storage: String) throws {
        _ = try run(storage, "init", "users")
        let calls: [([String], Int32, String)] = [
            (["edit", "users", "nobody", "name=x", "--offline"], 4, "\"nobody\" is not stored"),
            (["favourites", "add", "users", "nobody", "--offline"], 4, "\"nobody\" is not stored"),
            (
                ["edit", "users", "nobody", "name=" + String(repeating: "x", count: 1_025)], 10,
                "the name has 1025"
            ),
            (["revert", "users", "nobody"], 4, "fetch it first with \"patchbay show users\"\n"),
            (
                ["favourites", "remove", "users", "nobody"], 4,
                "check the list of favourites with \"patchbay favourites list users\""
            ),
            (
                ["searches", "remove", "nobody", "--denied"], 4,
                "denied searches with \"patchbay searches --denied\""
            ),
            (
                ["searches", "remove", "nobody"], 4,
                "recent searches with \"patchbay searches\""
            ),
        ]
        for (arguments, status, words) in calls {
            let outcome = try command.run(arguments + ["--storage", storage])
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test(
        "without a storage, commands that need one report it and create nothing",
        arguments: [
            "show users octocat --offline", "list users --offline", "list users --policy local-only",
            "picture users octocat --offline", "watch users", "edit users octocat name=x --offline",
            "revert users octocat", "clear users --yes", "list users --set reading.policy=local-only",
            "favourites list users", "favourites search users a", "favourites add users octocat --offline",
            "favourites remove users octocat",
            "list repos octocat --offline", "show repos a/b --offline", "list commits a/b --offline",
            "search users tom --offline", "search repos tom --offline", "searches", "searches --denied",
            "limits --offline", "storage info", "storage verify", "storage export", "storage export x.jsonl",
            "storage compact", "storage migrate", "storage backup copy",
        ])
    func nothing(_ line: String) throws {
        let path = "\(command.directory)/none"
        let outcome = try command.run(
            line.split(separator: " ").map(String.init)
                + ["--set", "storage.path=\(path)"])
        #expect(outcome.status == 4, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("patchbay: nothing is stored at \"\(path)\" yet; fetch something"))
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory).isEmpty)
    }

    @Test(
        "a plan without a storage counts everything as missing, and creates nothing",
        arguments: [
            ("sqlite", "users"), ("sqlite", "users --details"), ("sqlite", "repos ada --by org"),
            ("sqlite", "repos --by public"), ("lmdb", "repos ada"), ("flatfile", "commits ada/tool"),
            ("memory", "users"),
        ])
    func plan(_ storage: String, _ list: String) throws {
        let path = storage == "memory" ? [] : ["--set", "storage.path=\(command.directory)/none"]
        let plan = try command.run(
            ["sync"] + list.split(separator: " ").map(String.init)
                + ["--plan", "--format", "csv", "--storage", storage] + path)
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.errors.isEmpty)
        #expect(plan.output.contains(/\n[12],\d*,0,0,,,\n$/), "\(plan.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory).isEmpty)
    }

    @Test(
        "watch reports another process's edit, and Ctrl-C ends it by the signal",
        arguments: ["sqlite", "lmdb"])
    func watch(_ storage: String) throws {
        _ = try run(storage, "list", "users")
        let pipe = Pipe()
        let process = try command.start(
            ["watch", "users", "--limit", "3", "--storage", storage], output: pipe.fileHandleForWriting,
            errors: FileHandle.nullDevice)
        try pipe.fileHandleForWriting.close()
        let inserted = lines(3, from: pipe)
        #expect(inserted.allSatisfy { $0.hasPrefix("{\"change\":\"insert\",\"login\":") })
        _ = try run(storage, "edit", "users", "Marlow-Quern", "name=Mine")
        let updated = lines(1, from: pipe)[0]
        #expect(updated.hasPrefix("{\"change\":\"update\",\"login\":\"Marlow-Quern\""))
        #expect(updated.contains("\"name_override\":\"Mine\""))
        _ = try run(storage, "clear", "users", "--yes")
        #expect(lines(3, from: pipe).allSatisfy { $0.hasPrefix("{\"change\":\"delete\"") })
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGINT)
    }

    @Test("watch ends with success when its reader has gone, even if nothing changes")
    func watchWithoutReader() throws {
        _ = try run("sqlite", "list", "users")
        let pipe = Pipe()
        let process = try command.start(
            ["watch", "users", "--limit", "20", "--storage", "sqlite"], output: pipe.fileHandleForWriting,
            errors: FileHandle.nullDevice)
        try pipe.fileHandleForWriting.close()
        _ = lines(20, from: pipe)
        try pipe.fileHandleForReading.close()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    /// Reads up to `count` lines, fewer at the end of the output.
    private func lines(_ count: Int, from pipe: Pipe) -> [String] {
        var bytes = Data()
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = pipe.fileHandleForReading.availableData
            if more.isEmpty { break }
            bytes += more
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.count == count)
        return lines + Array(repeating: "", count: max(0, count - lines.count))
    }
}
