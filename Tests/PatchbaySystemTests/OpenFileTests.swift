import Glibc
import PatchbaySystem
import PatchbayTestKit
import Testing

@Suite("Open files")
struct OpenFileTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/file" }

    init() throws { directory = try TemporaryDirectory() }

    @Test("bytes are read where they were written, and no further than the end of the file")
    func bytes() throws {
        let file = try OpenFile(path, .creating)
        try unsafe file.write(([1, 2, 3] as [UInt8]).span.bytes)
        try unsafe file.write(([9, 8] as [UInt8]).span.bytes, at: 2)
        #expect(try file.bytes(10, at: 0) == [1, 2, 9, 8])
        #expect(try file.bytes(2, at: 1) == [2, 9])
        #expect(try file.bytes(0, at: 0).isEmpty)
        #expect(try file.bytes(5, at: 9).isEmpty)
        try file.truncate(to: 1)
        #expect(try file.status().bytes == 1)
        #expect(try file.bytes(10, at: 0) == [1])
    }

    @Test("the rest of a file stops one byte after the maximum, which shows that there is more")
    func rest() throws {
        try unsafe OpenFile(path, .creating).write([UInt8](repeating: 7, count: 100).span.bytes)
        #expect(try OpenFile(path, .reading).rest(max: 200).count == 100)
        #expect(try OpenFile(path, .reading).rest(max: 100).count == 100)
        #expect(try OpenFile(path, .reading).rest(max: 99).count == 100)
        #expect(try OpenFile(path, .reading).rest(max: 10).count == 11)
    }

    @Test("a new file takes no name that is taken, and only its owner may read it")
    func creation() throws {
        #expect(try OpenFile(path, .creating).status().mode & 0o077 == 0)
        #expect(failure { try OpenFile(path, .creating) }?.isTaken == true)
        try unsafe #require(symlink(directory.path + "/nothing", directory.path + "/link") == 0)
        #expect(failure { try OpenFile(directory.path + "/link", .creating) }?.isTaken == true)
        #expect(failure { try OpenFile(directory.path + "/missing", .reading) }?.isMissing == true)
    }

    @Test("a link is followed only if that is wanted")
    func links() throws {
        let link = directory.path + "/link"
        try unsafe OpenFile(path, .creating).write(([5] as [UInt8]).span.bytes)
        try unsafe #require(symlink(path, link) == 0)
        #expect(failure { try OpenFile(link, .reading) }?.isLink == true)
        #expect(failure { try OpenFile(link, .creatingIfMissing) }?.isLink == true)
        #expect(try OpenFile(link, .reading, isLinkFollowed: true).rest(max: 9) == [5])
    }

    @Test("a pipe without another end is not waited for")
    func pipe() throws {
        try unsafe #require(mkfifo(path, 0o600) == 0)
        #expect(try OpenFile(path, .reading).status().kind == .pipe)
    }

    @Test("a write to a full disk fails in words")
    func fullDisk() throws {
        let error = failure {
            try unsafe OpenFile("/dev/full", .readingAndWriting).write(([1] as [UInt8]).span.bytes)
        }
        #expect(error == SystemError(ENOSPC))
        #expect(error?.words == "no space left on device")
    }

    @Test("a lock excludes other openings of the file until it is released or the file is closed")
    func locks() throws {
        var first: OpenFile? = try OpenFile(path, .creatingIfMissing)
        let second = try OpenFile(path, .reading), third = try OpenFile(path, .reading)
        #expect(try first?.lock() == true)
        #expect(try !second.lock())
        first?.unlock()
        #expect(try second.lock(isShared: true))
        #expect(try third.lock(isShared: true))
        #expect(try first?.lock() == false)
        second.unlock()
        third.unlock()
        #expect(try first?.lock() == true)
        first = nil
        #expect(try second.lock())
    }

    @Test("names in an open folder are made, renamed and removed, wherever the folder is now")
    func folder() throws {
        let folder = try OpenFile(directory.path, .folder)
        try folder.makeFolder("below")
        #expect(failure { try folder.makeFolder("below") }?.isTaken == true)
        try unsafe OpenFile("a", .creating, in: folder).write(([1] as [UInt8]).span.bytes)
        try folder.rename("a", to: "b")
        #expect(try folder.names() == ["b", "below"])
        #expect(try folder.status(of: "b")?.bytes == 1)
        #expect(try folder.status(of: "a") == nil)
        try folder.remove("b")
        try folder.removeFolder("below")
        #expect(try folder.names().isEmpty)
        #expect(failure { try folder.remove("b") }?.isMissing == true)
        #expect(failure { try OpenFile(directory.path + "/file/below", .folder) }?.isMissing == true)
    }

    private func failure<Result>(_ call: () throws -> Result) -> SystemError? {
        do {
            _ = try call()
            return nil
        } catch {
            return error as? SystemError
        }
    }
}
