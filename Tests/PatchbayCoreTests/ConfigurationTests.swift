import PatchbayCore
import Testing

@Suite("Configuration")
struct ConfigurationTests {
    private let kinds = [
        ConfigurationKind(
            Registry(
                "storage",
                [
                    plugin(
                        "sqlite",
                        [
                            PluginOption("path", .path, default: "x.sqlite", "where"), .durability,
                            PluginOption(
                                "busy-timeout-ms", .integer(0...60_000), default: "5000", "how long"),
                        ]),
                    plugin("lmdb", [PluginOption("path", .path, default: "x.lmdb", "where"), .durability]),
                    plugin("memory", []),
                ]), default: "sqlite"),
        ConfigurationKind(
            Registry("source", [plugin("recorded", [PluginOption("path", .path, "file")])]),
            default: "recorded"),
    ]

    private static func plugin(_ name: String, _ options: [PluginOption]) -> Plugin<Int> {
        Plugin(name, "A plugin.", options: options) { _ in 0 }
    }

    private func file(_ text: String) throws -> ConfigurationLayer {
        ConfigurationLayer(try ConfigurationFile(path: "x.conf", bytes: Array(text.utf8)))
    }

    private func values(_ layers: ConfigurationLayer...) throws -> [String: String] {
        let entries = try EffectiveConfiguration(kinds: kinds, layers: layers).entries
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value.text) })
    }

    @Test("without layers the defaults apply")
    func defaults() throws {
        #expect(try values()["storage"] == "sqlite")
        #expect(try values()["storage.path"] == "x.sqlite")
        #expect(try values()["storage.durability"] == "full")
        #expect(try values()["source.path"] == nil)
    }

    @Test("flags override the environment, the file and the defaults, and each value records its origin")
    func precedence() throws {
        let file = try file("storage.path = file\nstorage.durability = normal\nstorage.busy-timeout-ms = 1\n")
        let environment = try ConfigurationLayer(
            environment: [
                "PATCHBAY_STORAGE_PATH": "environment", "PATCHBAY_STORAGE_BUSY_TIMEOUT_MS": "2", "HOME": "/",
            ],
            kinds: kinds)
        let flags = ConfigurationLayer([("storage.path", ConfigurationValue("flag", .flag(name: "--set")))])
        let entries = try EffectiveConfiguration(kinds: kinds, layers: [file, environment, flags]).entries
        let shown = entries.map { "\($0.key)=\($0.value.text) from \($0.value.origin)" }
        #expect(shown.contains("storage.path=flag from option --set"))
        #expect(shown.contains("storage.busy-timeout-ms=2 from environment PATCHBAY_STORAGE_BUSY_TIMEOUT_MS"))
        #expect(shown.contains("storage.durability=normal from x.conf:2"))
        #expect(shown.contains("storage=sqlite from default"))
    }

    @Test("options written for another storage are set aside")
    func setAside() throws {
        let file = try file("storage = sqlite\nstorage.path = a.sqlite\nstorage.busy-timeout-ms = 1\n")
        let flag = ConfigurationLayer([("storage", ConfigurationValue("lmdb", .flag(name: "--storage")))])
        let configuration = try EffectiveConfiguration(kinds: kinds, layers: [file, flag])
        #expect(configuration.entries.first { $0.key == "storage.path" }?.value.text == "x.lmdb")
        #expect(configuration.setAside.map(\.key) == ["storage.path", "storage.busy-timeout-ms"])
    }

    @Test("a path without a storage belongs to the storage that another layer chooses")
    func pathAlone() throws {
        let flag = ConfigurationLayer([("storage", ConfigurationValue("lmdb", .flag(name: "--storage")))])
        #expect(try values(file("storage.path = data"), flag)["storage.path"] == "data")
    }

    @Test(
        "an option without a storage is set aside when a stronger layer chose a storage that does not have it"
    )
    func optionAlone() throws {
        let file = try file("storage.path = data\nstorage.busy-timeout-ms = 1\n")
        let flag = ConfigurationLayer([("storage", ConfigurationValue("lmdb", .flag(name: "--storage")))])
        let configuration = try EffectiveConfiguration(kinds: kinds, layers: [file, flag])
        #expect(configuration.entries.first { $0.key == "storage.path" }?.value.text == "data")
        #expect(configuration.setAside.map(\.key) == ["storage.busy-timeout-ms"])
        let faults = EffectiveConfiguration.faults(kinds: kinds, layers: [flag, file])
        #expect(faults.map(\.message).first?.contains("\"lmdb\" has no option") == true)
    }

    @Test(
        "faults state the place and suggest the nearest known word",
        arguments: [
            ("storage = sqlit", "there is no storage \"sqlit\" (did you mean \"sqlite\"?)"),
            ("storge = sqlite", "unknown key \"storge\" (did you mean \"storage\"?)"),
            ("storage.pth = x", "unknown key \"storage.pth\" (did you mean \"storage.path\"?)"),
            (
                "storage = lmdb\nstorage.busy-timeout-ms = 5",
                "storage \"lmdb\" has no option \"storage.busy-timeout-ms\""
            ),
            (
                "storage = memory\nstorage.path = x",
                "storage \"memory\" has no option \"storage.path\"; it belongs to sqlite, lmdb"
            ),
            ("storage.busy-timeout-ms = soon", "must be a whole number from 0 to 60000"),
            ("storage.busy-timeout-ms = 60001", "must be a whole number from 0 to 60000"),
            ("storage.durability = maximal", "must be full, normal, off"),
        ])
    func faults(_ text: String, _ message: String) throws {
        let error = try #require(EffectiveConfiguration.faults(kinds: kinds, layers: [try file(text)]).first)
        #expect(error.code == .invalidConfiguration)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.file == "x.conf" && error.line == text.split(separator: "\n").count)
    }

    @Test("a mistyped PATCHBAY_ variable is a fault; other variables are ignored")
    func environment() throws {
        let error = #expect(throws: PatchbayError.self) {
            try ConfigurationLayer(environment: ["PATCHBAY_STORAGE_PAHT": "x"], kinds: kinds)
        }
        #expect(error?.message.contains("did you mean \"PATCHBAY_STORAGE_PATH\"?") == true)
        #expect(try ConfigurationLayer(environment: ["PATCHBAY_OTHER": "x"], kinds: kinds).values.isEmpty)
    }
}

@Suite("A configuration file")
struct ConfigurationFileTests {
    private func entries(_ text: String) throws -> [String] {
        try ConfigurationFile(path: "x.conf", bytes: Array(text.utf8)).entries.map {
            "\($0.line) \($0.key)=\($0.value)"
        }
    }

    @Test(
        "lines are read in all common spellings",
        arguments: [
            ("a=b", ["1 a=b"]), ("  a.b-c =  b c  \r\n\n# x\nd = e # f", ["1 a.b-c=b c", "4 d=e"]),
            ("a = b#c", ["1 a=b#c"]), ("a = \"b # c\" # d", ["1 a=b # c"]),
            (#"a = "\"\\\n""#, ["1 a=\"\\\n"]),
            ("\u{FEFF}a = b", ["1 a=b"]), ("a = x = y", ["1 a=x = y"]), ("", []), ("\t# only", []),
            ("a = é\u{301}", ["1 a=é\u{301}"]),
        ])
    func reads(_ text: String, _ expected: [String]) throws {
        #expect(try entries(text) == expected)
    }

    @Test(
        "an invalid line is refused with file and line",
        arguments: [
            "a", "a =", "= b", "A = b", "a b = c", "a = \"b", "a = \"b\" c", #"a = "\x""#, "a = b\u{1}",
            "a = \u{0}", "a: b",
        ])
    func refuses(_ text: String) throws {
        let error = #expect(throws: PatchbayError.self) { try entries("\n" + text) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.file == "x.conf" && error?.line == 2)
    }

    @Test("the fault of a key that is set twice names both lines")
    func doubled() throws {
        let error = #expect(throws: PatchbayError.self) { try entries("a = 1\nb = 2\na = 3") }
        #expect(error?.message.contains("line 1") == true)
        #expect(error?.file == "x.conf" && error?.line == 3)
    }

    @Test("a file that is not UTF-8 or over the limit is refused")
    func limits() throws {
        #expect(throws: PatchbayError.self) { try ConfigurationFile(path: "x", bytes: [0x61, 0x3D, 0xFF]) }
        let long = [UInt8](repeating: 0x23, count: ConfigurationFile.bytesMax + 1)
        #expect(throws: PatchbayError.self) { try ConfigurationFile(path: "x", bytes: long) }
    }
}

@Suite("Paths in a configuration")
struct PathExpansionTests {
    private let expansion = PathExpansion(environment: ["HOME": "/home/ada", "DATA": "/data", "EMPTY": ""])

    @Test(
        "home, variables and relative paths are replaced",
        arguments: [
            ("~", nil, "/home/ada"), ("~/x", "/conf", "/home/ada/x"), ("${DATA}/x", nil, "/data/x"),
            ("x", "/conf", "/conf/x"),
            ("x", nil, "x"), ("/x", "/conf", "/x"), ("${XDG_DATA_HOME}/p", nil, "/home/ada/.local/share/p"),
            ("a$b", nil, "a$b"),
            ("~x", nil, "~x"),
        ] as [(String, String?, String)])
    func expands(_ path: String, _ folder: String?, _ expected: String) throws {
        #expect(try expansion.expand(path, from: folder) == expected)
    }

    @Test(
        "a base directory that is empty or relative is replaced by the default",
        arguments: ["", "data", "./data"])
    func baseDirectories(_ value: String) throws {
        let expansion = PathExpansion(environment: ["HOME": "/home/ada", "XDG_DATA_HOME": value])
        #expect(try expansion.expand("${XDG_DATA_HOME}/p", from: "/conf") == "/home/ada/.local/share/p")
    }

    @Test(
        "a variable that is not set, or empty, is an error",
        arguments: ["${NOWHERE}/x", "${EMPTY}", "${DATA"])
    func refuses(_ path: String) {
        #expect(throws: PatchbayError.self) { try expansion.expand(path, from: nil) }
    }
}
