import PatchbayCore
import Testing

/// How layers with several sources are read: `source = github work`.
@Suite("Several plugins of one kind in a configuration")
struct NamedSourceTests {
    private let kinds = [
        ConfigurationKind(
            Registry(
                "source",
                [
                    plugin("recorded", [PluginOption("path", .path, default: "sample.har", "file")]),
                    plugin("github", api), plugin("slack", api),
                ]), default: "recorded", common: [PluginOption("as", .word, "the word")], takesSeveral: true),
        ConfigurationKind(
            Registry("storage", [plugin("memory", [PluginOption("path", .path, "where")])]), default: "memory"
        ),
    ]

    private static let api = [
        PluginOption("base-url", .text, default: "https://x.example", "address"),
        PluginOption("token", .secret, "token"),
    ]

    private static func plugin(_ name: String, _ options: [PluginOption]) -> Plugin<Int> {
        Plugin(name, "A plugin.", options: options) { _ in 0 }
    }

    private func file(_ text: String) throws -> ConfigurationLayer {
        let lines = text.replacing("; ", with: "\n")
        return ConfigurationLayer(try ConfigurationFile(path: "x.conf", bytes: Array(lines.utf8)))
    }

    private func flags(_ text: String) -> ConfigurationLayer {
        ConfigurationLayer(
            text.split(separator: "; ").map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), ConfigurationValue(String(parts[1]), .flag(name: "--set")))
            })
    }

    /// Every source with the options that are set: `work=github(source.work.token=env:T)`.
    private func sources(_ layers: ConfigurationLayer...) throws -> [String] {
        let configuration = try EffectiveConfiguration(kinds: kinds, layers: layers)
        return configuration.choices("source").map { choice in
            let options = configuration.entries.filter {
                $0.key.hasPrefix(choice.key + ".") && $0.value.origin != .defaultValue
            }
            let shown = options.map { "\($0.key)=\($0.value.text)" }.joined(separator: " ")
            return "\(choice.name)=\(choice.plugin)(\(shown))"
        }
    }

    @Test("a list has the options of each name, and a plugin for a custom name")
    func list() throws {
        let text = """
            source = github work; source.github.token = env:A; source.work = github; source.work.token = env:B
            source.work.base-url = https://w.example
            """
        #expect(
            try sources(file(text)) == [
                "github=github(source.github.token=env:A)",
                "work=github(source.work.base-url=https://w.example source.work.token=env:B)",
            ])
        let entries = try EffectiveConfiguration(kinds: kinds, layers: [file(text)]).entries
        let shown = entries.map { "\($0.key)=\($0.value.text) \($0.value.origin)" }
        #expect(shown.first == "source=github work x.conf:1")
        #expect(shown.contains("source.work=github x.conf:3"))
        #expect(shown.contains("source.github.base-url=https://x.example default"))
        #expect(!shown.contains { $0.hasPrefix("source.github=") })
    }

    @Test("one source may have keys with its name and without")
    func one() throws {
        #expect(
            try sources(file("source = github; source.token = env:A")) == [
                "github=github(source.token=env:A)"
            ])
        #expect(
            try sources(file("source = github; source.github.token = env:A")) == [
                "github=github(source.github.token=env:A)"
            ])
        #expect(
            try sources(file("source = work; source.work = github; source.token = env:A")) == [
                "work=github(source.work.token=env:A)"
            ])
        #expect(
            try sources(file("source.recorded.path = a.har")) == [
                "recorded=recorded(source.recorded.path=a.har)"
            ])
    }

    @Test(
        "a stronger layer chooses from the list of a weaker one, or replaces it",
        arguments: [
            ("source=slack", ["slack=slack(source.slack.token=env:B)"]),
            ("source=slack; source.token=env:C", ["slack=slack(source.slack.token=env:C)"]),
            (
                "source=slack github",
                ["slack=slack(source.slack.token=env:B)", "github=github(source.github.token=env:A)"]
            ),
            ("source=recorded; source.path=b.har", ["recorded=recorded(source.path=b.har)"]),
            ("source=recorded slack", ["recorded=recorded()", "slack=slack(source.slack.token=env:B)"]),
        ])
    func choosing(_ flag: String, _ expected: [String]) throws {
        let file = try file("source = github slack; source.github.token = env:A; source.slack.token = env:B")
        #expect(try sources(file, flags(flag)) == expected)
        let chosen = try EffectiveConfiguration(kinds: kinds, layers: [file, flags(flag)])
        #expect(
            chosen.listed("source")
                == (flag.contains("recorded")
                    ? expected.map { String($0.prefix { $0 != "=" }) } : ["github", "slack"]))
    }

    @Test("keys of a single source still apply when it is part of a list; those of another are set aside")
    func follows() throws {
        let file = try file("source = recorded; source.path = a.har")
        #expect(
            try sources(file, flags("source=recorded slack"))
                == ["recorded=recorded(source.recorded.path=a.har)", "slack=slack()"])
        #expect(try sources(file, flags("source=github slack")) == ["github=github()", "slack=slack()"])
        let configuration = try EffectiveConfiguration(
            kinds: kinds, layers: [file, flags("source=github slack")])
        #expect(configuration.setAside.map(\.key) == ["source.path"])
    }

    @Test("variables set the options of listed sources")
    func environment() throws {
        let file = try file("source = github work; source.work = github")
        let variables = [
            "PATCHBAY_SOURCE_WORK_BASE_URL": "https://v.example", "PATCHBAY_SOURCE_GITHUB_TOKEN": "env:A",
        ]
        let read = ConfigurationLayer.reading(environment: variables, kinds: kinds, beside: [file])
        #expect(read.faults.isEmpty)
        #expect(
            try sources(file, read.layer) == [
                "github=github(source.github.token=env:A)",
                "work=github(source.work.base-url=https://v.example)",
            ])
        let listed = ConfigurationLayer.reading(
            environment: ["PATCHBAY_SOURCE": "slack github", "PATCHBAY_SOURCE_SLACK_TOKEN": "env:S"],
            kinds: kinds)
        #expect(listed.faults.isEmpty)
        #expect(try sources(listed.layer) == ["slack=slack(source.slack.token=env:S)", "github=github()"])
        let unknown = ConfigurationLayer.reading(environment: variables, kinds: kinds)
        #expect(unknown.faults.count == 2)
    }

    @Test(
        "faults state file and line, and what to write",
        arguments: [
            ("source = github gitlab", 1, "there is no source \"gitlab\" (did you mean \"github\"?)"),
            ("source = github gitlab", 1, "or set source.gitlab to one of them"),
            ("source = github github", 1, "source names \"github\" twice"),
            (
                "source = github work; source.work = gihub", 2,
                "there is no source \"gihub\" (did you mean \"github\"?)"
            ),
            (
                "source = github slack; source.token = env:A", 2,
                "write source.github.token or source.slack.token"
            ),
            (
                "source = recorded slack; source.token = env:A", 2,
                "several are listed; write source.slack.token"
            ),
            (
                "source = github; source.slack.token = env:A", 2,
                "source.slack.token belongs to no listed source"
            ),
            ("source = github; source.slack.token = env:A", 2, "add \"slack\" to \"source = github\""),
            ("source = github slack; source.slak.token = env:A", 2, "(did you mean \"slack\"?)"),
            ("source = github slack; source.github.tokn = x", 2, "(did you mean \"source.github.token\"?)"),
            (
                "source = github slack; source.github.path = x", 2,
                "source \"github\" has no option \"source.github.path\""
            ),
            ("source = github slack; source.github.token = x", 2, "source.github.token must be env:NAME"),
            ("source = github; source.as = Ghe", 2, "source.as = \"Ghe\" must be a-z, 0-9 and _"),
            ("source = github slack; source.slack.as = 1a", 2, "source.slack.as = \"1a\" must be a-z"),
            ("source = github token", 1, "a source cannot be called \"token\", which is an option"),
            ("source = github Work", 1, "\"Work\" is not a name for a source"),
            (
                "source = github; source.token = env:A; source.github.token = env:B", 3,
                "are the same; remove one"
            ),
            ("source = github; source.wrk = github", 2, "unknown key \"source.wrk\""),
        ])
    func faults(_ text: String, _ line: Int, _ words: String) throws {
        let faults = try EffectiveConfiguration.faults(kinds: kinds, layers: [file(text)])
        #expect(faults.count == 1, "\(faults.map(\.message))")
        #expect(faults.first?.message.contains(words) == true, "\(faults.first?.message ?? "no fault")")
        #expect(faults.first?.details == [.at(.file(path: "x.conf", line: line))])
        #expect(faults.first?.code == .invalidConfiguration)
    }

    @Test("a list without words is a fault")
    func empty() {
        let empty = ConfigurationLayer([("source", ConfigurationValue(" ", .environment(name: "X")))])
        #expect(EffectiveConfiguration.faults(kinds: kinds, layers: [empty]).count == 1)
    }
}
