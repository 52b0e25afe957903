// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "embed-the-library",
    dependencies: [.package(name: "patchbay", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "EmbedTheLibrary",
            dependencies: [
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "StorageSQLite", package: "patchbay"),
                .product(name: "SourceSynthetic", package: "patchbay"),
            ])
    ]
)
