import Foundation
import Patchbay
import PatchbayCLI
import PatchbayCore
import PatchbayPlugins
import TestSupport
import Testing

/// Pages that the code writes and this test keeps true: `make docs` writes them anew.
@Suite("The generated pages")
struct DocumentationTests {
    @Test("Docs/Commands.md holds the help of every command")
    func commands() throws { try expect("Docs/Commands.md", CommandReference.markdown) }

    @Test("Docs/Errors.md holds every error code with its exit status")
    func errors() throws { try expect("Docs/Errors.md", ErrorReference.markdown) }

    @Test("Configs/reference.conf holds every key of every plugin")
    func keys() throws { try expect("Configs/reference.conf", ConfigurationReference(.builtIn).text) }

    @Test("Docs/Promises.md holds every promise of a storage, and who keeps it")
    func promises() async throws {
        var storages: [(name: String, features: StorageFeatures)] = []
        for plugin in PluginSet.builtIn.storages.plugins {
            storages.append(
                (plugin.name, try await plugin.open(Settings("storage", ["path": "unused"])).features))
        }
        try expect("Docs/Promises.md", PromiseReference.markdown(storages))
    }

    @Test("every other configuration in Configs is valid, and says how to run it")
    func configurations() throws {
        for path in try SourceTree.paths(["Configs"]) where path != "Configs/reference.conf" {
            let file = Checkout.root.appendingPathComponent(path).path
            let environment = ["HOME": "/home/somebody", "PATCHBAY_RECORDINGS": "/recordings"]
            let faults = try GatewayConfiguration.faults(file: file, environment: environment)
            #expect(faults.isEmpty, "\(path): \(faults)")
            #expect(try SourceTree.text(path).contains("patchbay users list --config \(path)"), "\(path)")
        }
    }

    @Test("README and Docs link to files that are there")
    func links() throws {
        let pages =
            ["README.md", "CONTRIBUTING.md"]
            + (try SourceTree.paths(["Docs", "Plugins"]).filter { $0.hasSuffix(".md") })
        for page in pages {
            let folder = Checkout.root.appendingPathComponent(page).deletingLastPathComponent()
            for match in try SourceTree.text(page).matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                let target = folder.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(page) links to \(match.1)")
            }
        }
    }

    private func expect(_ path: String, _ text: String) throws {
        if ProcessInfo.processInfo.environment["PATCHBAY_UPDATE"] != nil {
            try Data(text.utf8).write(to: Checkout.root.appendingPathComponent(path))
        }
        #expect(try SourceTree.text(path) == text, "\(path) is not what the code says; run `make docs`")
    }
}
