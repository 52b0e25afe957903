// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patchbay",
    products: [
        .library(name: "PatchbayJSON", targets: ["PatchbayJSON"])
    ],
    dependencies: [],
    targets: [
        .target(name: "PatchbayJSON"),
        .testTarget(name: "PatchbayJSONTests", dependencies: ["PatchbayJSON"]),
    ],
    swiftLanguageModes: [.v6]
)

// One place for the settings of every target.
for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableExperimentalFeature("Lifetimes"),
    ]
}
