import Patchbay
import PatchbayCore
import PatchbayTestKit

/// The page Docs/Promises.md, generated from the conformance suite.
struct PromiseReference {
    let storages: [(name: String, features: StorageFeatures)]

    /// - Throws: when a test file that a promise names does not exist.
    func markdown() throws -> String {
        let parts = try HousePromise.all.enumerated().map { number, promise in
            try part(number + 1, promise)
        }
        return """
            # What every storage promises

            Generated from the tests by `make pages`; a test keeps it up to date. Each line of a table is one check of
            `StorageConformance` in PatchbayTestKit, which `make test` runs on every storage, in its plugin's tests.
            "-" means that the storage's features exclude the promise. Further tests are listed below each table by the
            names of their suites; `make long` runs the long versions, with power cuts and failing disks.

            \(parts.joined(separator: "\n\n"))

            ## Totals

            | checks that apply | \(names) |
            |---|\(storages.map { _ in "---" }.joined(separator: "|"))|
            | of \(StorageConformance.promises.count) | \(counts) |

            """
    }

    /// Returns the checks of a part, in the order of the suite. A check that is listed by its sentence belongs to
    /// that part only.
    static func checks(of promise: HousePromise) -> [Promise] {
        let named = Set(HousePromise.all.flatMap(\.checks))
        return StorageConformance.promises.filter { check in
            promise.checks.contains(check.description)
                || promise.topics.contains(check.topic) && !named.contains(check.description)
        }
    }

    private var names: String { storages.map(\.name).joined(separator: " | ") }

    private var counts: String {
        storages.map { storage in
            String(StorageConformance.promises.count { $0.reasonToSkip(for: storage.features) == nil })
        }.joined(separator: " | ")
    }

    private func part(_ number: Int, _ promise: HousePromise) throws -> String {
        let rows = PromiseReference.checks(of: promise).map { check in
            let cells = storages.map { check.reasonToSkip(for: $0.features) == nil ? "yes" : "-" }
            return "| \(check.sentence) | \(cells.joined(separator: " | ")) |"
        }
        let suites = try promise.tests.map { "[\(try suite($0))](../\($0))" }.joined(separator: ",\n")
        return """
            ## \(number). \(promise.title)

            \(promise.sentence)

            | check | \(names) |
            |---|\(storages.map { _ in "---" }.joined(separator: "|"))|
            \(rows.joined(separator: "\n"))
            """ + (suites.isEmpty ? "" : "\n\nAlso:\n\(suites).")
    }

    /// Returns the name of the first suite in a test file, preceded by the plugin that it belongs to.
    private func suite(_ path: String) throws -> String {
        guard let name = try SourceTree.text(path).firstMatch(of: /@Suite\(\s*"([^"]+)"/)?.1 else {
            throw PatchbayError(.notFound, "\(path) contains no suite")
        }
        let plugin = path.hasPrefix("Plugins/") ? path.split(separator: "/")[1] + ": " : ""
        return plugin + name
    }
}
