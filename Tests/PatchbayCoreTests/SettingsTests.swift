import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("settings") struct SettingsTests {
    private let settings = Settings(
        "storage", ["path": "data", "size": "12", "sync": "true", "bad": "maybe", "durability": "normal"])

    @Test("values are read as their types, absent ones as nil")
    func reads() throws {
        #expect(settings.text("path") == "data" && settings.text("none") == nil)
        #expect(try settings.integer("size") == 12 && settings.integer("none") == nil)
        #expect(try settings.boolean("sync") == true && settings.boolean("none") == nil)
        #expect(try settings.durability() == .normal && Settings().durability() == .full)
        #expect(try settings.requiredText("path") == "data")
    }

    @Test("an invalid value is reported with key, value and origin")
    func faults() throws {
        let calls: [(String, () throws -> Void)] = [
            ("storage.bad = \"maybe\": must be a whole number", { _ = try settings.integer("bad") }),
            ("storage.bad = \"maybe\": must be true or false", { _ = try settings.boolean("bad") }),
            ("storage.none is required; set it", { _ = try settings.requiredText("none") }),
            (
                "storage.durability = \"fast\": must be full, normal, off",
                { _ = try Settings("storage", ["durability": "fast"]).durability() }
            ),
        ]
        for (message, call) in calls {
            let error = #expect(throws: PatchbayError.self) { try call() }
            #expect(error?.code == .invalidConfiguration && error?.message == message)
        }
        let value = ConfigurationValue("x", .file(path: "my.conf", line: 3))
        let error = Settings("storage", ["path": value]).error("path", "is not a folder", code: .notFound)
        #expect(error.description == "not found: storage.path = \"x\": is not a folder (at: my.conf:3)")
    }

    @Test(
        "an option's type explains what is wrong with a value",
        arguments: [
            (OptionType.text, "x", true), (.text, "", false), (.path, "", false),
            (.integer(1...5), "5", true),
            (.integer(1...5), "6", false), (.integer(1...5), "five", false), (.integer(1...5), "", false),
            (.boolean, "true", true), (.boolean, "yes", false), (.choice(["a", "b"]), "b", true),
            (.choice(["a", "b"]), "c", false), (.secret, "env:TOKEN", true), (.secret, "file:token", true),
            (.secret, "hunter2", false),
        ])
    func optionTypes(type: OptionType, value: String, isGood: Bool) {
        #expect((type.fault(in: value) == nil) == isGood)
        #expect(!type.word.isEmpty)
    }

    @Test("a fault never repeats a secret")
    func secretsStaySecret() {
        #expect(OptionType.secret.fault(in: "hunter2")?.contains("hunter2") == false)
    }

    @Test("the description of an origin is the place")
    func origins() {
        let origins: [ConfigurationValue.Origin] = [
            .code, .defaultValue, .file(path: "a.conf", line: 2), .environment(name: "PATCHBAY_PATH"),
            .flag(name: "--path"),
        ]
        #expect(
            origins.map(\.description)
                == ["code", "default", "a.conf:2", "environment PATCHBAY_PATH", "option --path"])
    }
}

@Suite("registry") struct RegistryTests {
    private let registry = Registry(
        "storage",
        ["sqlite", "lmdb"].map { name in
            Plugin(name, "keeps rows", options: [.durability]) { _ in MemoryStorage() }
        })

    @Test("a plugin is found by its name and opens")
    func found() async throws {
        let plugin = try registry.plugin(named: "lmdb")
        #expect(plugin.name == "lmdb" && plugin.options.map(\.key) == ["durability"])
        let storage = try await plugin.open(Settings())
        try await storage.open(Sample.schema)
        #expect(try await storage.revision() == 0)
    }

    @Test("the error for an unknown name suggests the nearest one and lists all")
    func unknown() {
        let near = #expect(throws: PatchbayError.self) { try registry.plugin(named: "sqllite") }
        #expect(near?.code == .invalidConfiguration)
        #expect(near?.message.contains("did you mean \"sqlite\"?") == true)
        let far = #expect(throws: PatchbayError.self) { try registry.plugin(named: "postgres") }
        #expect(far?.message.contains("known: sqlite, lmdb") == true)
        #expect(far?.message.contains("did you mean") == false)
    }
}
