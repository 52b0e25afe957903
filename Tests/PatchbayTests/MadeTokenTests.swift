import Patchbay
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import Testing

@Suite("The token that a server makes")
struct MadeTokenTests {
    @Test("it is random, private, and kept")
    func kept() async throws {
        try await TemporaryDirectory.with { folder in
            let environment = ["XDG_STATE_HOME": folder.path + "/state"]
            let first = try MadeToken(environment: environment)
            #expect(first.path == folder.path + "/state/patchbay/serve-token")
            #expect(first.text.utf8.count == 64)
            #expect(try MadeToken(environment: environment).text == first.text)
            #expect(FileStatus(at: first.path)?.mode == 0o600)
            let other = try MadeToken(environment: ["XDG_STATE_HOME": folder.path + "/other"])
            #expect(other.text != first.text)
        }
    }

    @Test("several servers that start at once agree")
    func together() async throws {
        try await TemporaryDirectory.with { folder in
            let environment = ["XDG_STATE_HOME": folder.path]
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try MadeToken(environment: environment).text } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts.count == 1)
        }
    }

    @Test("a file that others can read, or that contains no token, is refused, and so is a missing home")
    func refused() async throws {
        try await TemporaryDirectory.with { folder in
            let environment = ["XDG_STATE_HOME": folder.path]
            let path = try MadeToken(environment: environment).path
            try FileSystem.setMode(0o644, of: path)
            let open = #expect(throws: PatchbayError.self) { try MadeToken(environment: environment) }
            #expect(open?.message.contains("can be read by others") == true)
            try FileSystem.setMode(0o600, of: path)
            try OpenFile(path, .readingAndWriting).truncate(to: 5)
            let short = #expect(throws: PatchbayError.self) { try MadeToken(environment: environment) }
            #expect(short?.message.contains("contains no token") == true)
        }
        let homeless = #expect(throws: PatchbayError.self) { try MadeToken(environment: [:]) }
        #expect(homeless?.message.contains("serve.token") == true)
    }
}
