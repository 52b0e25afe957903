import CPlatform
@testable import PatchbayTestKit
import Testing

@Suite("test kit") struct TestKitTests {
    @Test("random numbers are those of SplitMix64")
    func splitMix() {
        var generator = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in generator.next() }
                == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
        #expect(generator.seed == 1_234_567)
    }

    @Test(
        "a temporary folder is new and empty, and is removed with its contents, but not with the targets of links"
    )
    func temporaryDirectory() throws {
        let outside = try TemporaryDirectory()
        unsafe #expect(mkdir(outside.path + "/kept", 0o700) == 0)
        var path = ""
        do {
            let directory = try TemporaryDirectory()
            path = directory.path
            #expect(path != outside.path && !path.hasSuffix("/"))
            for name in ["/a", "/a/b", "/a/b/.hidden"] { unsafe #expect(mkdir(path + name, 0o700) == 0) }
            unsafe #expect(symlink(outside.path, path + "/link") == 0)
            unsafe #expect(access(path + "/a/b/.hidden", F_OK) == 0)
        }
        unsafe #expect(access(path, F_OK) == -1)
        unsafe #expect(access(outside.path + "/kept", F_OK) == 0)
    }

    @Test("a temporary folder is removed when its body throws")
    func temporaryDirectoryThrows() async {
        struct Stop: Error {}
        var path = ""
        await #expect(throws: Stop.self) {
            try await TemporaryDirectory.with { directory in
                path = directory.path
                throw Stop()
            }
        }
        #expect(unsafe !path.isEmpty && access(path, F_OK) == -1)
    }

    @Test("values in messages show their parts")
    func descriptions() {
        #expect(FieldValue.text("e\u{301}\n\"").description == #""e\u{0301}\n\"""#)
        #expect(FieldValue.real(-0.0).description == "-0.0" && FieldValue.null.description == "null")
        #expect(FieldValue.bytes([0, 255]).description == "<0 ff>")
        #expect(FieldValue.text("\u{E9}") != FieldValue.text("e\u{301}"))
        #expect(FieldValue.real(-0.0) != FieldValue.real(0))
    }
}
