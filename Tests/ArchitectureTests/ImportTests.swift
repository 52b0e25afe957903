import Testing

/// The modules that each module may import, as in the table of Docs/Architecture.md. A module without a line fails.
private let allowed: [String: Set<String>] = {
    let system: Set<String> = ["PatchbaySystem", "Synchronization"]
    let core: Set<String> = system.union(["PatchbayCore"])
    let cPlugin = core.union(["CChecksum"])
    let house: Set<String> = [
        "PatchbayCore", "PatchbayDomain", "PatchbayNetworking", "PatchbayGateway", "PatchbayJSON",
    ]
    let plugins: Set<String> = [
        "StorageSQLite", "StorageLMDB", "StorageFlatFile", "StoragePostgreSQL", "NetworkingLive",
        "ServingHTTP",
        "SourceGitHub", "SourceREST", "SourceSynthetic",
    ]
    return [
        "PatchbaySystem": ["CPlatform"],
        "PatchbayCore": system.union(["Dispatch", "HTTPTypes"]),
        "PatchbayJSON": system.union(["FoundationEssentials"]),
        "PatchbayDomain": ["PatchbayCore", "PatchbayJSON", "Synchronization"],
        "PatchbayNetworking": core.union(["PatchbayJSON", "HTTPTypes"]),
        "PatchbayGateway": [
            "PatchbayCore", "PatchbayDomain", "PatchbayJSON", "Dispatch", "Synchronization",
        ],
        "PatchbayCompare": core.union([
            "PatchbayDomain", "PatchbayGateway", "PatchbayJSON", "SourceSynthetic",
            "CPlatform", "FoundationEssentials", "Histogram",
        ]),
        "StorageSQLite": core.union(["CSQLite"]),
        "StorageLMDB": cPlugin.union(["CLMDB"]),
        "StorageFlatFile": cPlugin.union(["PatchbayJSON"]),
        "StoragePostgreSQL": core.union(["CPostgreSQL"]),
        "NetworkingRecording": core.union(["PatchbayJSON", "HTTPTypes"]),
        "NetworkingLive": core.union([
            "HTTPTypes", "AsyncHTTPClient", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTP2",
            "NIOSSL", "CZlib",
        ]),
        "ServingHTTP": core.union([
            "Dispatch", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOSSL",
        ]),
        "SourceREST": core.union(["PatchbayDomain", "PatchbayJSON", "HTTPTypes"]),
        "SourceGitHub": ["PatchbayCore", "PatchbayDomain", "PatchbayJSON", "SourceREST", "HTTPTypes"],
        "SourceSynthetic": ["PatchbayCore", "PatchbayDomain"],
        "Patchbay": house.union(system).union(["NetworkingRecording", "Logging"]),
        "PatchbayQuery": core.union([
            "CSQLite", "Dispatch", "PatchbayDomain", "PatchbayGateway", "PatchbayJSON",
        ]),
        "PatchbayServer": house.union(system).union(["Patchbay", "HTTPTypes"]),
        "PatchbayDrafts": house.union(["Patchbay", "NetworkingRecording"]),
        "PatchbayMetrics": ["Patchbay", "CoreMetrics"],
        "PatchbayPlugins": plugins.union(["Patchbay", "PatchbayCore", "PatchbayDomain"]),
        "PatchbayTerminal": house.union(system).union(["Patchbay", "CPlatform", "Dispatch"]),
        "PatchbayCLI": house.union(system).union([
            "Patchbay", "PatchbayCompare", "PatchbayDrafts", "PatchbayQuery", "PatchbayServer",
            "PatchbayTerminal", "ArgumentParser", "CCommit", "Dispatch",
        ]),
        "PatchbayMain": ["PatchbayCLI", "PatchbayPlugins"],
        "PatchbayTestKit": core.union(["PatchbayDomain", "Dispatch", "HTTPTypes"]),
    ]
}()

@Suite("The dependencies between modules")
struct ImportTests {
    @Test("every import is allowed by the table")
    func imports() throws {
        for file in try SourceTree.swiftFiles("Sources", "Plugins") where !file.path.contains("/Tests/") {
            let known = try #require(allowed[file.module], "\(file.module) has no line in the table")
            let wrong = file.imports.filter { !known.contains($0) }
            #expect(wrong.isEmpty, "\(file.path) imports \(wrong.joined(separator: ", "))")
        }
    }

    @Test("every plugin folder has a README, sources and tests")
    func pluginFolders() throws {
        let paths = try SourceTree.paths(["Plugins"])
        let plugins = Set(paths.map { String($0.split(separator: "/")[1]) })
        for plugin in plugins {
            #expect(paths.contains("Plugins/\(plugin)/README.md"), "\(plugin) has no README.md")
            for folder in ["Sources", "Tests"] {
                let files = paths.filter {
                    $0.hasPrefix("Plugins/\(plugin)/\(folder)/") && $0.hasSuffix(".swift")
                }
                #expect(!files.isEmpty, "\(plugin) has no \(folder)")
            }
        }
    }
}
