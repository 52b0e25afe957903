import Foundation
import Patchbay
import PatchbayCLI
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// The help of every command, which takes seconds to collect.
let commandReference = CommandReference.markdown(.builtIn)

/// Checks the pages that are generated from code; `make pages` writes them.
@Suite("The generated pages")
struct DocumentationTests {
    @Test("Docs/Commands.md contains the help of every command")
    func commands() throws { try expect("Docs/Commands.md", commandReference) }

    @Test("Docs/Errors.md contains every error code with its exit status")
    func errors() throws { try expect("Docs/Errors.md", ErrorReference.markdown) }

    @Test("the README names the toolchain that the package needs")
    func toolchain() throws {
        let manifest = try SourceTree.text("Package.swift")
        #expect(manifest.hasPrefix("// swift-tools-version: 6."))
        let readme = try SourceTree.text("README.md")
        #expect(readme.contains("Requires Swift 6.3, git and make on Debian 12"))
        #expect(readme.contains("built and tested on Linux only"))
    }

    @Test("Configs/reference.conf contains every key of every plugin", .needsNetworkClient)
    func keys() throws { try expect("Configs/reference.conf", ConfigurationReference(.builtIn).text) }

    @Test("Docs/Promises.md contains every promise of a storage, and which storages keep it")
    func promises() async throws {
        var storages: [(name: String, features: StorageFeatures)] = []
        for plugin in PluginSet.builtIn.storages.plugins {
            storages.append(
                (plugin.name, try await plugin.open(Settings("storage", ["path": "unused"])).features))
        }
        try expect("Docs/Promises.md", PromiseReference(storages: storages).markdown())
    }

    @Test("every other configuration in Configs is valid, and says how to run it")
    func configurations() throws {
        for path in try SourceTree.paths(["Configs"]) where path != "Configs/reference.conf" {
            let file = Checkout.root.appendingPathComponent(path).path
            let environment = ["HOME": "/home/somebody", "PATCHBAY_RECORDINGS": "/recordings"]
            let faults = try GatewayConfiguration.faults(file: file, environment: environment)
            #expect(faults.isEmpty, "\(path): \(faults)")
            #expect(try SourceTree.text(path).contains("patchbay list users --config \(path)"), "\(path)")
        }
    }

    @Test("every page links to existing files and headings")
    func links() throws {
        for page in try Page.all() {
            for link in page.links { #expect(try page.fault(in: link) == nil) }
        }
    }

    @Test("Docs/Architecture.md links every decision")
    func decisions() throws {
        let page = try SourceTree.text("Docs/Architecture.md")
        for path in try SourceTree.paths(["Docs/Decisions"]) {
            #expect(page.contains("](\(path.dropFirst(5)))"), "\(path) is not linked")
        }
    }

    @Test("every block of Swift in the documentation is compiled, and every snippet is on a page")
    func snippets() throws {
        let snippets = try Snippets().texts
        var shown: Set<String> = []
        for page in try Page.all() {
            for block in Snippets.blocks(in: page.text) {
                let name = snippets.first { $0.value == block }?.key
                if let name { shown.insert(name) }
                #expect(
                    name != nil,
                    "Tests/SnippetTests contains no snippet equal to this one of \(page.path):\n\(block)")
            }
        }
        #expect(Set(snippets.keys) == shown, "a snippet is on no page")
    }

    @Test("every check of the conformance suite is in exactly one part of Docs/Promises.md")
    func parts() {
        let checks = HousePromise.all.flatMap { PromiseReference.checks(of: $0).map(\.description) }
        #expect(checks.sorted() == StorageConformance.promises.map(\.description).sorted())
    }

    private func expect(_ path: String, _ text: String) throws {
        #expect(try Checkout.golden(path, for: text) == text, "\(path) is out of date; run `make pages`")
    }
}
