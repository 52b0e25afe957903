import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Tools that make disk calls fail or count them are libraries that are loaded before the C library.
@Suite("The command with a preloaded library", .mayBlock)
struct PreloadTests {
    private static let notes = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <unistd.h>
        #define NOTED(name) int name(int file) { \\
            write(2, "flushed\\n", 8); \\
            return ((int (*)(int))dlsym(RTLD_NEXT, #name))(file); \\
        }
        NOTED(fsync)
        NOTED(fdatasync)
        """

    @Test(
        "every flush of a storage can be observed", .needs("cc"), arguments: ["sqlite", "lmdb", "flatfile"])
    func flushes(_ storage: String) throws {
        let folder = try TemporaryDirectory()
        let library = folder.path + "/notes.so"
        try folder.write(Self.notes, to: "notes.c")
        _ = try Shell.output(of: "cc -shared -fPIC -w -o \(library) \(folder.path)/notes.c -ldl")
        var command = Command(in: folder.path)
        command.environment["LD_PRELOAD"] = library
        let outcome = try command.run("list", "users", "--storage", storage)
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("flushed\n"))
    }

    @Test("the command defines no system call for the disk itself", .needs("nm"))
    func definesNone() throws {
        let symbols = try Shell.output(of: "nm --defined-only '\(Command.executable.path)'")
        #expect(symbols.contains("main"))
        #expect(symbols.matches(of: /(?m) (fsync|fdatasync|msync|write|pwrite64)$/).isEmpty)
    }
}
