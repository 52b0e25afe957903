// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the main package's graph and tests do not grow.
let package = Package(
    name: "patchbay-benchmarks",
    dependencies: [.package(name: "patchbay", path: "..", traits: [])],
    targets: [
        .target(name: "BenchmarkRows"),
        .executableTarget(
            name: "patchbay-bare",
            dependencies: ["BenchmarkRows"],
            path: "Sources/BareEngines",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("lmdb")]),
        .executableTarget(
            name: "patchbay-bench",
            dependencies: [
                "BenchmarkRows",
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "StorageSQLite", package: "patchbay"),
                .product(name: "StorageLMDB", package: "patchbay"),
                .product(name: "StorageFlatFile", package: "patchbay"),
            ],
            path: "Sources/PatchbayBench",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableExperimentalFeature("Lifetimes"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
