// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patchbay",
    products: [
        .executable(name: "patchbay", targets: ["PatchbayMain"]),
        .library(
            name: "Patchbay", targets: ["Patchbay", "PatchbayGateway", "PatchbayDomain", "PatchbayCore"]),
        .library(name: "PatchbayTestKit", targets: ["PatchbayTestKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: [
        // The house: contracts, domain, layers, use cases.
        .target(name: "PatchbayCore", dependencies: [.httpTypes]),
        .target(name: "PatchbayDomain", dependencies: ["PatchbayCore"]),
        .target(name: "PatchbayNetworking", dependencies: ["PatchbayCore", "PatchbayJSON", .httpTypes]),
        .target(name: "PatchbayGateway", dependencies: ["PatchbayCore", "PatchbayDomain", "PatchbayJSON"]),

        // Shared by plugins: JSON in place, a checksum.
        .target(name: "PatchbayJSON"),
        .target(name: "CChecksum"),

        // Plugins: one folder each; delete it and its lines here and in BuiltInPlugins.swift, and it is gone.
        .plugin("StorageSQLite", ["PatchbayCore", "CSQLite"]),
        .systemLibrary(
            name: "CSQLite", path: "Plugins/StorageSQLite/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .plugin("StorageLMDB", ["PatchbayCore", "CLMDB", "CChecksum"]),
        .systemLibrary(
            name: "CLMDB", path: "Plugins/StorageLMDB/CLMDB",
            providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .plugin("StorageFlatFile", ["PatchbayCore", "PatchbayJSON", "CChecksum"]),
        .plugin("NetworkingRecording", ["PatchbayCore", "PatchbayJSON", .httpTypes]),
        .plugin("SourceSynthetic", ["PatchbayCore", "PatchbayDomain"]),
        .plugin(
            "NetworkingLive",
            [
                "PatchbayCore", .httpTypes, .asyncHTTPClient, .nio("NIOCore"), .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nioHTTP2, .nioSSL, .nioCompression,
            ]),
        .plugin("SourceGitHub", ["PatchbayCore", "PatchbayDomain", "PatchbayJSON", .httpTypes]),

        // What people use: the library, the command, the promises as tests.
        .target(
            name: "Patchbay",
            dependencies: [
                "PatchbayCore", "PatchbayDomain", "PatchbayNetworking", "PatchbayGateway",
                "StorageSQLite", "StorageLMDB", "StorageFlatFile", "NetworkingRecording", "NetworkingLive",
                "SourceGitHub", "SourceSynthetic",
            ]),
        .target(
            name: "PatchbayCLI",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON",
                "PatchbayNetworking", .argumentParser,
            ]),
        .executableTarget(name: "PatchbayMain", dependencies: ["PatchbayCLI"]),
        .target(name: "PatchbayTestKit", dependencies: ["PatchbayCore", "PatchbayDomain"]),

        // Tests: a module's own, then what crosses plugins.
        .testTarget(
            name: "PatchbayCoreTests",
            dependencies: ["PatchbayCore", "PatchbayTestKit", "CChecksum", .httpTypes]),
        .testTarget(name: "PatchbayJSONTests", dependencies: ["PatchbayJSON"]),
        .testTarget(name: "PatchbayDomainTests", dependencies: ["PatchbayCore", "PatchbayDomain"]),
        .testTarget(
            name: "PatchbayNetworkingTests",
            dependencies: [
                "PatchbayCore", "PatchbayNetworking", "PatchbayJSON", "NetworkingRecording",
                "PatchbayTestKit", .httpTypes,
            ]),
        .testTarget(
            name: "PatchbayGatewayTests",
            dependencies: [
                "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON", "PatchbayTestKit",
            ]),
        .pluginTests("StorageSQLite", ["PatchbayCore", "PatchbayTestKit", "CSQLite"]),
        .pluginTests(
            "StorageLMDB",
            ["PatchbayCore", "PatchbayDomain", "PatchbayMain", "PatchbayTestKit", "TestSupport"]),
        .pluginTests(
            "StorageFlatFile", ["PatchbayCore", "PatchbayMain", "PatchbayTestKit", "TestSupport"]),
        .pluginTests("NetworkingRecording", ["PatchbayCore", .httpTypes]),
        .pluginTests(
            "NetworkingLive",
            [
                "PatchbayCore", "PatchbayTestKit", "TestServer", .httpTypes, .nio("NIOCore"),
                .nio("NIOPosix"),
                .nio("NIOHTTP1"), .nioHTTP2, .nioSSL,
            ]),
        .pluginTests(
            "SourceGitHub",
            [
                "PatchbayCore", "PatchbayDomain", "PatchbayJSON", "PatchbayTestKit", "NetworkingRecording",
                .httpTypes,
            ]),
        .pluginTests("SourceSynthetic", ["PatchbayCore", "PatchbayDomain"]),
        .testTarget(
            name: "PatchbayTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayTestKit",
                "TestSupport",
                "TestServer",
            ]),
        .testTarget(
            name: "PatchbayCLITests",
            dependencies: [
                "PatchbayCLI", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayMain",
                "PatchbayTestKit", "TestServer", "TestSupport",
            ],
            exclude: ["Golden"]),
        .testTarget(
            name: "PairingTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayDomain", "PatchbayGateway", "PatchbayMain",
                "PatchbayTestKit",
                "TestSupport",
            ]),
        .testTarget(
            name: "CrashTests",
            dependencies: [
                "Patchbay", "PatchbayCore", "PatchbayMain", "PatchbayTestKit", "TestServer", "TestSupport",
            ]),
        .testTarget(
            name: "ArchitectureTests",
            dependencies: ["Patchbay", "PatchbayCLI", "PatchbayCore", "PatchbayTestKit", "TestSupport"]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .target(
            name: "TestServer", dependencies: [.nio("NIOCore"), .nio("NIOPosix")], path: "Tests/TestServer"),
    ],
    swiftLanguageModes: [.v6]
)

extension Target.Dependency {
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let nioHTTP2 = product(name: "NIOHTTP2", package: "swift-nio-http2")
    static let nioCompression = product(name: "NIOHTTPCompression", package: "swift-nio-extras")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")

    static func nio(_ name: String) -> Target.Dependency { product(name: name, package: "swift-nio") }
}

extension Target {
    static func plugin(_ name: String, _ dependencies: [Dependency]) -> Target {
        .target(name: name, dependencies: dependencies, path: "Plugins/\(name)/Sources")
    }

    static func pluginTests(_ name: String, _ dependencies: [Dependency]) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies,
            path: "Plugins/\(name)/Tests")
    }
}

// One place for the settings of every target. `make test` and CI turn warnings into errors.
let isStrict = Context.environment["PATCHBAY_STRICT"] != nil
for target in package.targets where target.type != .system && target.name != "CChecksum" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableExperimentalFeature("Lifetimes"),
    ]
    if isStrict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
}
