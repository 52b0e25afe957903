import Glibc
import PatchbaySystem
import PatchbayTestKit
import Testing

@Suite("Folders and the room on their disk")
struct FileSystemTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func makeFile(_ path: String) throws {
        let file = unsafe open("\(directory.path)/\(path)", O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        close(file)
    }

    @Test("names are ordered by their bytes and include hidden ones")
    func names() throws {
        for name in ["b", "Z", ".hidden", "\u{E9}", "a\nb"] { try makeFile(name) }
        #expect(FileSystem.names(in: directory.path) == [".hidden", "Z", "a\nb", "b", "\u{E9}"])
        #expect(FileSystem.names(in: directory.path + "/missing") == nil)
        #expect(errno == ENOENT)
    }

    @Test("a folder is removed with its contents; targets of links in it stay")
    func removal() throws {
        for folder in ["kept", "gone", "gone/below"] { unsafe mkdir("\(directory.path)/\(folder)", 0o700) }
        for file in ["kept/file", "gone/file", "gone/below/file"] { try makeFile(file) }
        try unsafe #require(symlink("\(directory.path)/kept", "\(directory.path)/gone/link") == 0)
        #expect(!FileSystem.isFolder("\(directory.path)/gone/link"))
        FileSystem.removeAll("\(directory.path)/gone")
        #expect(FileSystem.names(in: directory.path) == ["kept"])
        #expect(FileSystem.names(in: directory.path + "/kept") == ["file"])
    }

    @Test("a full disk, a full quota and a file at its limit mean no room; other errors do not")
    func room() {
        #expect([ENOSPC, EDQUOT, EFBIG].allSatisfy(DiskSpace.isUsedUp))
        #expect(![EIO, EACCES, EROFS, 0].contains(where: DiskSpace.isUsedUp))
    }
}
