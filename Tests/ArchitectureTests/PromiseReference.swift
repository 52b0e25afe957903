import Patchbay
import PatchbayCore
import PatchbayTestKit

/// The promises of a storage as a page, from the suite that tests them; Docs/Promises.md is this text.
enum PromiseReference {
    static func markdown(_ storages: [(name: String, features: StorageFeatures)]) -> String {
        let rows = StorageConformance.promises.map { promise in
            let cells = storages.map { promise.reasonToSkip(for: $0.features) == nil ? "yes" : "-" }
            return "| \(promise.topic) | \(promise.sentence) | \(cells.joined(separator: " | ")) |"
        }
        let counts = storages.map { storage in
            String(StorageConformance.promises.count { $0.reasonToSkip(for: storage.features) == nil })
        }
        let names = storages.map(\.name).joined(separator: " | ")
        return """
            # What every storage promises

            Written from the conformance suite by `make docs`; a test keeps it true. Each line is one check of
            `StorageConformance` in PatchbayTestKit, run by `make test` on every storage (in the tests of its plugin).
            "-" is a promise that the storage's features exclude.

            | topic | promise | \(names) |
            |---|---|\(storages.map { _ in "---" }.joined(separator: "|"))|
            \(rows.joined(separator: "\n"))
            | | promises that hold | \(counts.joined(separator: " | ")) |

            `Tests/CrashTests` adds: a write that was acknowledged survives SIGKILL at any moment, and nothing is there
            that was not written. `Tests/PairingTests`: the answers do not depend on the storage.

            """
    }
}
