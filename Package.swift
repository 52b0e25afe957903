// swift-tools-version: 6.3
import PackageDescription

// "7a12b62 2026-11-21 6.3.1". The Makefile sets it; other builds do not need it.
let commit = Context.environment["PATCHBAY_COMMIT"].flatMap { $0.isEmpty ? nil : $0 }

let package = Package(
    name: "patchbay",
    products: [
        .executable(name: "patchbay", targets: ["PatchbayMain"]),
        // The library without plugins, each plugin, all of them, and the command for programs that add their own
        // plugins.
        .library(
            name: "Patchbay", targets: ["Patchbay", "PatchbayGateway", "PatchbayDomain", "PatchbayCore"]),
        .library(name: "StorageSQLite", targets: ["StorageSQLite"]),
        .library(name: "StorageLMDB", targets: ["StorageLMDB"]),
        .library(name: "StorageFlatFile", targets: ["StorageFlatFile"]),
        .library(name: "StoragePostgreSQL", targets: ["StoragePostgreSQL"]),
        .library(name: "NetworkingLive", targets: ["NetworkingLive"]),
        .library(name: "ServingHTTP", targets: ["ServingHTTP"]),
        .library(name: "SourceREST", targets: ["SourceREST"]),
        .library(name: "SourceGitHub", targets: ["SourceGitHub"]),
        .library(name: "SourceSynthetic", targets: ["SourceSynthetic"]),
        .library(name: "PatchbayPlugins", targets: ["PatchbayPlugins"]),
        .library(name: "PatchbayMetrics", targets: ["PatchbayMetrics"]),
        .library(name: "PatchbayQuery", targets: ["PatchbayQuery"]),
        .library(name: "PatchbayServer", targets: ["PatchbayServer"]),
        .library(name: "PatchbayCLI", targets: ["PatchbayCLI"]),
        .library(name: "PatchbayTestKit", targets: ["PatchbayTestKit"]),
    ],
    traits: [
        .trait(
            name: "Live",
            description: "The network: AsyncHTTPClient, SwiftNIO and BoringSSL, three quarters of a build."),
        .default(enabledTraits: ["Live"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        // Core modules: contracts, domain, layers, use cases.
        .target(name: "PatchbayCore", dependencies: ["PatchbaySystem", .httpTypes]),
        .target(name: "PatchbayDomain", dependencies: ["PatchbayCore", "PatchbayJSON"]),
        .target(
            name: "PatchbayNetworking",
            dependencies: ["PatchbaySystem", "PatchbayCore", "PatchbayJSON", .httpTypes]),
        .target(name: "PatchbayGateway", dependencies: ["PatchbayCore", "PatchbayDomain", "PatchbayJSON"]),

        // The comparison of storages: workloads, measurements, results, reports.
        .target(
            name: "PatchbayCompare",
            dependencies: [
                "PatchbaySystem",
                "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON", "SourceSynthetic",
                "CPlatform", .histogram,
            ],
            resources: ["report.css", "report.js"].map { .embedInCode("Reports/Page/\($0)") }),

        // The command with bare engines as further subjects, which `make bench` runs; no product contains them.
        .target(
            name: "CBareEngines", dependencies: ["CSQLite", "CLMDB", "CPostgreSQL"],
            path: "Benchmarks/Sources/CBareEngines"),
        .target(
            name: "BareEngines", dependencies: ["CBareEngines", "PatchbayCompare", "PatchbayCore"],
            path: "Benchmarks/Sources/BareEngines"),
        .executableTarget(
            name: "PatchbayBench",
            dependencies: ["BareEngines", "PatchbayCLI", "PatchbayCompare", "PatchbayPlugins"],
            path: "Benchmarks/Sources/PatchbayBench"),

        // Shared by plugins: JSON in place, a checksum.
        .target(name: "PatchbayJSON"),
        .target(name: "CChecksum"),

        // The operating system: files, folders, locks, processes. Below it the C library, the same for Glibc and Musl.
        .target(name: "PatchbaySystem", dependencies: ["CPlatform"]),
        .target(name: "CPlatform"),

        // The commit that `patchbay --version` prints.
        .target(name: "CCommit", cSettings: commit.map { [.define("PATCHBAY_COMMIT", to: $0)] }),

        // Plugins: one folder each. To remove one, delete its folder and its lines here and in PatchbayPlugins.
        .plugin("StorageSQLite", ["PatchbaySystem", "PatchbayCore", "CSQLite"]),
        .systemLibrary(
            name: "CSQLite", path: "Plugins/StorageSQLite/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .plugin("StorageLMDB", ["PatchbaySystem", "PatchbayCore", "CLMDB", "CChecksum"]),
        .systemLibrary(
            name: "CLMDB", path: "Plugins/StorageLMDB/CLMDB",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .plugin("StorageFlatFile", ["PatchbaySystem", "PatchbayCore", "PatchbayJSON", "CChecksum"]),
        .plugin("StoragePostgreSQL", ["PatchbayCore", "CPostgreSQL"]),
        .target(
            name: "CPostgreSQL", path: "Plugins/StoragePostgreSQL/CPostgreSQL",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .plugin(
            "NetworkingRecording",
            ["PatchbaySystem", "PatchbayCore", "PatchbayJSON", .httpTypes]),
        .plugin("SourceSynthetic", ["PatchbayCore", "PatchbayDomain"]),
        .plugin(
            "NetworkingLive",
            [
                "PatchbaySystem",
                "PatchbayCore", .httpTypes, .asyncHTTPClient, .nio("NIOCore"), .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nioHTTP2, .nioSSL, "CZlib",
            ]),
        .systemLibrary(
            name: "CZlib", path: "Plugins/NetworkingLive/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"])]),
        .plugin(
            "ServingHTTP",
            [
                "PatchbaySystem",
                "PatchbayCore", .httpTypes, .nio("NIOCore"), .nio("NIOPosix"), .nio("NIOHTTP1"),
                .nioSSL,
            ]),
        .plugin(
            "SourceREST", ["PatchbayCore", "PatchbayDomain", "PatchbayJSON", .httpTypes],
            resources: [
                "asana", "confluence", "crates", "digitalocean", "discord", "gitea", "gitlab", "hackernews",
                "hubspot", "jira",
                "linear", "mastodon", "notion", "npm", "okta", "openalex", "pagerduty", "pypi", "sentry",
                "slack",
                "stackexchange", "stripe", "wikipedia", "zendesk",
            ].map { .embedInCode("Definitions/\($0).conf") }),
        .plugin(
            "SourceGitHub", ["PatchbayCore", "PatchbayDomain", "PatchbayJSON", "SourceREST", .httpTypes],
            resources: [.embedInCode("Definitions/github.conf")]),

        // Modules for users: the library, all plugins, the command, the promises as tests.
        .target(
            name: "Patchbay",
            dependencies: [
                "PatchbaySystem",
                "PatchbayCore", "PatchbayDomain", "PatchbayNetworking", "PatchbayGateway",
                "NetworkingRecording", .logging,
            ]),
        .target(
            name: "PatchbayQuery",
            dependencies: [
                "PatchbaySystem",
                "CSQLite", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON",
            ]),
        .target(
            name: "PatchbayServer",
            dependencies: [
                "PatchbaySystem",
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON",
                "PatchbayNetworking", .httpTypes,
            ],
            resources: [
                "page.html", "style.css", "icon.svg", "main.js", "api.js", "resources.js", "rows.js",
                "grid.js", "scale.js", "detail.js", "text.js",
            ].map { .embedInCode("Page/Files/\($0)") }),
        // Drafts of definitions from sample answers and descriptions of APIs.
        .target(
            name: "PatchbayDrafts",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayJSON", "PatchbayNetworking",
                "NetworkingRecording",
            ]),
        .target(name: "PatchbayMetrics", dependencies: ["Patchbay", .coreMetrics]),
        .target(
            name: "PatchbayPlugins",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "StorageSQLite", "StorageLMDB",
                "StorageFlatFile", "StoragePostgreSQL", .networkingLive, .servingHTTP,
                "SourceGitHub", "SourceREST",
                "SourceSynthetic",
            ]),
        .target(
            name: "PatchbayTerminal",
            dependencies: [
                "PatchbaySystem",
                "CPlatform", "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON",
                "PatchbayNetworking",
            ]),
        .target(
            name: "PatchbayCLI",
            dependencies: [
                "PatchbaySystem",
                "Patchbay", "PatchbayCompare", "PatchbayCore", "PatchbayDomain", "PatchbayDrafts",
                "PatchbayGateway", "PatchbayJSON", "PatchbayNetworking", "PatchbayQuery", "PatchbayServer",
                "PatchbayTerminal", "CCommit",
                .argumentParser,
            ]),
        .executableTarget(name: "PatchbayMain", dependencies: ["PatchbayCLI", "PatchbayPlugins"]),
        .target(
            name: "PatchbayTestKit",
            dependencies: ["PatchbaySystem", "PatchbayCore", "PatchbayDomain", .httpTypes]),

        // Tests: one target per module, then those that involve several plugins.
        .testTarget(
            name: "PatchbayCoreTests",
            dependencies: [
                "PatchbaySystem", "PatchbayCore", "PatchbayTestKit", "CChecksum", "CPlatform", .httpTypes,
            ]),
        .testTarget(name: "PatchbaySystemTests", dependencies: ["PatchbaySystem", "PatchbayTestKit"]),
        .testTarget(name: "PatchbayJSONTests", dependencies: ["PatchbayJSON"]),
        .testTarget(
            name: "PatchbayDomainTests", dependencies: ["PatchbayCore", "PatchbayDomain", "PatchbayJSON"]),
        .testTarget(
            name: "PatchbayNetworkingTests",
            dependencies: [
                "PatchbaySystem",
                "CPlatform", "PatchbayCore", "PatchbayNetworking", "PatchbayJSON", "NetworkingRecording",
                "PatchbayTestKit", .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayGatewayTests",
            dependencies: [
                "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON", "PatchbayTestKit",
            ]),
        .testTarget(
            name: "PatchbayCompareTests",
            dependencies: [
                "PatchbaySystem",
                "BareEngines", "PatchbayCLI", "PatchbayCompare", "PatchbayCore", "PatchbayDomain",
                "PatchbayTerminal",
                "PatchbayGateway", "PatchbayTestKit", "SourceSynthetic", "TestSupport",
            ]),
        .pluginTests(
            "StorageSQLite", ["PatchbaySystem", "PatchbayCore", "PatchbayTestKit", "CPlatform", "CSQLite"]),
        .pluginTests(
            "StorageLMDB",
            [
                "PatchbaySystem", "CPlatform", "PatchbayCore", "PatchbayDomain", "PatchbayMain",
                "PatchbayTestKit", "TestSupport",
            ]),
        .pluginTests(
            "StorageFlatFile",
            ["PatchbaySystem", "CPlatform", "PatchbayCore", "PatchbayMain", "PatchbayTestKit", "TestSupport"]),
        .pluginTests(
            "StoragePostgreSQL",
            ["CPlatform", "PatchbayCore", "PatchbayDomain", "PatchbayMain", "PatchbayTestKit", "TestSupport"]),
        .pluginTests("NetworkingRecording", ["CPlatform", "PatchbayCore", "PatchbayTestKit", .httpTypes]),
        .pluginTests(
            "NetworkingLive",
            [
                "PatchbayCore", "PatchbayTestKit", "TestServer", .httpTypes, .nio("NIOCore"),
                .nio("NIOPosix"), .nio("NIOHTTP1"), .nioHTTP2, .nioSSL,
            ]),
        .pluginTests(
            "ServingHTTP",
            [
                "NetworkingLive", "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway",
                "PatchbayNetworking", "PatchbayServer", "PatchbayTestKit", "TestServer", .httpTypes,
            ]),
        .pluginTests(
            "SourceREST",
            [
                "PatchbayCore", "PatchbayDomain", "PatchbayJSON", "PatchbayNetworking", "PatchbayTestKit",
                "NetworkingRecording", "CPlatform", .httpTypes,
            ], exclude: ["Vendors"]),
        .pluginTests(
            "SourceGitHub",
            [
                "PatchbayCore", "PatchbayDomain", "PatchbayJSON", "SourceREST", "PatchbayTestKit",
                "NetworkingRecording", "CPlatform", .httpTypes,
            ]),
        .pluginTests("SourceSynthetic", ["PatchbayCore", "PatchbayDomain", "PatchbayTestKit"]),
        .testTarget(
            name: "PatchbayTests",
            dependencies: [
                "PatchbaySystem",
                "Patchbay", "PatchbayCore", "PatchbayPlugins", "PatchbayMetrics", "PatchbayDomain",
                "PatchbayGateway", "PatchbayJSON", "PatchbayTestKit", "TestSupport", "TestServer",
                "CPlatform",
                .logging, .coreMetrics, .inMemoryLogging, .metricsTestKit, .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayDraftsTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayDrafts", "PatchbayJSON",
                "PatchbayTestKit", .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayQueryTests",
            dependencies: [
                "PatchbaySystem",
                "CSQLite", "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayMain",
                "PatchbayPlugins", "PatchbayQuery", "PatchbayTestKit", "TestSupport",
            ]),
        .testTarget(
            name: "PatchbayServerTests",
            dependencies: [
                "PatchbayServer", "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway",
                "PatchbayJSON", "PatchbayNetworking", "PatchbayTestKit", .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayServerAPITests",
            dependencies: [
                "PatchbayServer", "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway",
                "PatchbayJSON", "PatchbayNetworking", "PatchbayQuery", "PatchbayTestKit", .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayCLITests",
            dependencies: [
                "Patchbay", "PatchbayCLI", "PatchbayCore", "PatchbayDomain", "PatchbayGateway",
                "PatchbayJSON", "PatchbayMain", "PatchbayTerminal", "PatchbayTestKit", "TestServer",
                "TestSupport",
                "CPlatform", "PatchbaySystem",
                .argumentParser,
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "PairingTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayPlugins", "PatchbayDomain", "PatchbayGateway",
                "PatchbayMain", "PatchbayNetworking", "PatchbayServer", "PatchbayTestKit", "SourceREST",
                "TestSupport", .httpTypes,
            ]),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayPlugins", "PatchbayMain", "PatchbayTestKit",
                "TestServer", "TestSupport",
            ]),
        .testTarget(
            name: "ArchitectureTests",
            dependencies: [
                "Patchbay", "PatchbayCLI", "PatchbayCore", "PatchbayPlugins", "PatchbayTestKit",
                "TestSupport",
            ]),
        .testTarget(
            name: "SnippetTests",
            dependencies: [
                "Patchbay", "PatchbayPlugins", "PatchbayCore", "PatchbayDomain", "PatchbayGateway",
                "PatchbayQuery", "PatchbayTestKit", "SourceSynthetic", "StorageSQLite", "TestSupport",
            ], packageAccess: false),
        .testTarget(
            name: "FormatTests",
            dependencies: [
                "PatchbayCore", "PatchbayNetworking", "PatchbayTestKit", "NetworkingRecording",
                "StorageSQLite",
                "StorageLMDB", "StorageFlatFile", "CSQLite", "CLMDB", "TestSupport", .httpTypes,
            ], exclude: ["Fixtures"]),
        .target(name: "TestSupport", dependencies: ["PatchbayTestKit"], path: "Tests/TestSupport"),
        .target(
            name: "TestServer", dependencies: [.nio("NIOCore"), .nio("NIOPosix")], path: "Tests/TestServer"),
    ],
    swiftLanguageModes: [.v6]
)

extension TargetDependencyCondition {
    static let whenLive = when(traits: ["Live"])
}

extension Target.Dependency {
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let logging = product(name: "Logging", package: "swift-log")
    static let coreMetrics = product(name: "CoreMetrics", package: "swift-metrics")
    static let metricsTestKit = product(name: "MetricsTestKit", package: "swift-metrics")
    static let inMemoryLogging = product(name: "InMemoryLogging", package: "swift-log")
    static let histogram = product(name: "Histogram", package: "hdrhistogram-swift")
    static let networkingLive = target(name: "NetworkingLive", condition: .whenLive)
    static let servingHTTP = target(name: "ServingHTTP", condition: .whenLive)
    static let asyncHTTPClient = product(
        name: "AsyncHTTPClient", package: "async-http-client", condition: .whenLive)
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .whenLive)
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl", condition: .whenLive)

    static func nio(_ name: String) -> Target.Dependency {
        product(name: name, package: "swift-nio", condition: .whenLive)
    }
}

extension Target {
    static func plugin(
        _ name: String, _ dependencies: [Dependency], resources: [Resource]? = nil
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Plugins/\(name)/Sources", resources: resources)
    }

    static func pluginTests(_ name: String, _ dependencies: [Dependency], exclude: [String] = []) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
            path: "Plugins/\(name)/Tests", exclude: exclude)
    }
}

// `make smoke MODULE=Gateway` builds the tests of one module and what they need.
if let module = Context.environment["PATCHBAY_SMOKE"],
    let tests = package.targets.first(where: {
        ["Patchbay\(module)Tests", "\(module)Tests"].contains($0.name)
    })
{
    var needed: Set = [tests.name], waiting = [tests]
    while let target = waiting.popLast() {
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _):
                guard needed.insert(name).inserted else { continue }
                waiting += package.targets.filter { $0.name == name }
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}

// The settings of every target. `make test` and CI turn warnings into errors.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
]
let isStrict = Context.environment["PATCHBAY_STRICT"] != nil
for target in package.targets
where target.type != .system
    && !["CBareEngines", "CChecksum", "CCommit", "CPlatform", "CPostgreSQL"].contains(target.name)
{
    var own = settings
    if isStrict { own.append(.treatAllWarnings(as: .error)) }
    // In a build that optimises, the tests themselves would take longer to compile than they save.
    if target.type == .test { own.append(.unsafeFlags(["-Onone"], .when(configuration: .release))) }
    target.swiftSettings = own
}
