// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "write-a-storage",
    products: [.library(name: "AppendOnlyStorage", targets: ["AppendOnlyStorage"])],
    dependencies: [.package(name: "patchbay", path: "../..", traits: [])],
    targets: [
        .target(
            name: "AppendOnlyStorage", dependencies: [.product(name: "Patchbay", package: "patchbay")]),
        .executableTarget(
            name: "PatchbayWithMine",
            dependencies: [
                "AppendOnlyStorage",
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "PatchbayCLI", package: "patchbay"),
                .product(name: "SourceGitHub", package: "patchbay"),
                .product(name: "SourceSynthetic", package: "patchbay"),
                .product(name: "StorageSQLite", package: "patchbay"),
            ]),
        .testTarget(
            name: "AppendOnlyStorageTests",
            dependencies: [
                "AppendOnlyStorage",
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "PatchbayTestKit", package: "patchbay"),
            ]),
    ]
)
