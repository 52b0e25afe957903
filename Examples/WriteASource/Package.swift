// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "write-a-source",
    products: [.library(name: "FeedSource", targets: ["FeedSource"])],
    dependencies: [
        .package(name: "patchbay", path: "../..", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "FeedSource",
            dependencies: [
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .executableTarget(
            name: "PatchbayWithFeed",
            dependencies: [
                "FeedSource",
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "PatchbayCLI", package: "patchbay"),
                .product(name: "StorageSQLite", package: "patchbay"),
            ]),
        .testTarget(
            name: "FeedSourceTests",
            dependencies: [
                "FeedSource",
                .product(name: "Patchbay", package: "patchbay"),
                .product(name: "PatchbayTestKit", package: "patchbay"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
    ]
)
