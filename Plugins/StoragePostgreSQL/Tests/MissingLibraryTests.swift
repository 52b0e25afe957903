import Foundation
import PatchbayTestKit
import Testing
import TestSupport

/// A machine without PostgreSQL's client library, simulated for one process by a mount over the library.
@Suite("Without libpq", .mayBlock, .needsLibPQ, .needsMounting, .needs("unshare"))
struct MissingLibraryTests {
    @Test("the command works, and only a storage that needs the library reports what to install")
    func missing() throws {
        let folder = try TemporaryDirectory()
        func run(_ arguments: String) throws -> Command.Outcome {
            let shell = Command(in: folder.path, program: "/bin/sh")
            return try shell.run(
                "-c",
                """
                library=$(/sbin/ldconfig -p | sed -n 's/.*libpq.so.5 .* => //p' | head -n 1)
                exec unshare --mount sh -c 'mount --bind /dev/null "$0" && exec "$@"' "$library" \
                    '\(Command.executable.path)' \(arguments)
                """)
        }
        #expect(try run("--version").status == 0)
        #expect(try run("plugins list").output.contains("postgres"))
        let outcome = try run("storage info --storage postgres")
        #expect(outcome.status == 15)
        #expect(outcome.errors.contains("install the package libpq5"))
    }
}
