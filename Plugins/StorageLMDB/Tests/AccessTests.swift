import CLMDB
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
@testable import StorageLMDB
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite("Obstacles, locks and permissions")
struct AccessTests {
    @Test(
        "a symbolic or hard link in place of an LMDB file is refused and kept",
        arguments: ["ln -s", "ln"])
    func links(_ makeLink: String) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", victim = directory.path + "/victim"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            try Disk.write(Array("precious".utf8), to: victim)
            try #require(Disk.run("\(makeLink) -f '\(victim)' '\(path)/lock.mdb'").status == 0)
            let error = await fault { try await Notes.open(path) { _ in } }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("lock.mdb\" is a link") == true)
            #expect(try Disk.read(victim) == Array("precious".utf8))
            Disk.remove(path + "/lock.mdb")
            #expect(try await Notes.open(path) { try await Notes.titles($0) } == ["a"])
        }
    }

    @Test("no open file of a storage is passed to programs that this process starts")
    func childProcesses() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { _ in
                let open = (FileSystem.names(in: "/proc/self/fd") ?? []).compactMap { Int32($0) }.filter {
                    FileSystem.linkTarget("/proc/self/fd/\($0)")?.hasPrefix(directory.path) == true
                }
                #expect(open.count >= 2)
                #expect(open.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
            }
        }
    }

    @Test(
        "a pipe in place of a file is not waited for", .timeLimit(.minutes(5)),
        arguments: ["data.mdb", "lock.mdb"], StorageAccess.allCases)
    func pipes(_ name: String, _ access: StorageAccess) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            Disk.remove(path + "/" + name)
            try #require(Disk.run("mkfifo '\(path)/\(name)'").status == 0)
            let storage = LMDBStorage(path: path)
            let error = await fault {
                try await storage.open(StorageOpening(Notes.schema, access))
            }
            // A storage that is open for reading needs no lock file.
            #expect(error?.code == (name == "lock.mdb" && access == .reading ? nil : .invalidConfiguration))
            try await storage.close()
        }
    }

    @Test("a link with the name of a leftover is not followed, and its target stays")
    func leftovers() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", other = directory.path + "/other"
            for place in [path, other] {
                try await Notes.open(place) { try await Notes.put($0, [(1, place)]) }
            }
            try #require(Disk.run("ln -s '\(other)' '\(path)/creating'").status == 0)
            let titles = try await Notes.open(path, Notes.laterSchema) {
                try await Notes.titles($0, in: Notes.second)
            }
            #expect(titles == [path])
            #expect(try await Notes.open(other) { try await Notes.titles($0) } == [other])
        }
    }

    @Test("a user's file with the name of a leftover folder is left alone")
    func fileInTheWay() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            try Disk.write([7], to: path + "/creating")
            #expect(try await Notes.open(path) { try await Notes.titles($0) } == ["a"])
            #expect(try Disk.read(path + "/creating") == [7])
        }
    }

    @Test("a write that waits for another process is busy after the time-out, and reads continue")
    func writerIsBusy() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let storage = LMDBStorage(path: path, busyTimeoutMilliseconds: 10)
            try await storage.open(Notes.schema)
            try await Notes.put(storage, [(1, "a")])
            let other = unsafe open(path + "/data.mdb", O_RDWR | O_CLOEXEC)
            try #require(other >= 0 && setWriterLock(F_WRLCK, other) == 0)
            let error = await fault { try await Notes.put(storage, [(2, "b")]) }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("is writing to the storage \"\(path)\"") == true)
            #expect(try await Notes.titles(storage) == ["a"])
            // A process that another test is starting may still have the descriptor, and so the lock.
            try #require(setWriterLock(F_UNLCK, other) == 0)
            close(other)
            try await Notes.put(storage, [(2, "b")])
            #expect(try await Notes.titles(storage) == ["a", "b"])
            try await storage.close()
        }
    }

    /// Takes or releases the writer lock as another process would, with a lock that belongs to the descriptor, not to
    /// the process.
    private func setWriterLock(_ type: Int32, _ descriptor: Int32) -> Int32 {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_start = off_t(patchbay_writer_place)
        lock.l_len = 1
        // F_OFD_SETLK
        return unsafe fcntl(descriptor, 37, &lock)
    }

    @Test("opening a folder that another process is changing is busy after the time-out")
    func folderIsBusy() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path) { try await Notes.put($0, [(1, "a")]) }
            let other = unsafe open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            try #require(other >= 0 && flock(other, LOCK_EX) == 0)
            for access in StorageAccess.allCases {
                let storage = LMDBStorage(path: directory.path, busyTimeoutMilliseconds: 10)
                let code = await Notes.code { try await storage.open(StorageOpening(nil, access)) }
                #expect(code == .busy)
            }
            // A process that another test is starting may still have the descriptor, and so the lock.
            try #require(flock(other, LOCK_UN) == 0)
            close(other)
            #expect(try await Notes.open(directory.path) { try await Notes.titles($0) } == ["a"])
        }
    }

    @Test("reading the revision detects that the storage was removed or replaced")
    func removed() async throws {
        try await TemporaryDirectory.with { directory in
            for access in StorageAccess.allCases {
                let path = directory.path + "/\(access)"
                try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
                let storage = LMDBStorage(path: path)
                try await storage.open(StorageOpening(nil, access))
                _ = try await storage.revision()
                try #require(unsafe rename(path, path + ".away") == 0)
                if access == .creating { try await Notes.open(path) { try await Notes.put($0, [(2, "b")]) } }
                let error = await fault { _ = try await storage.revision() }
                #expect(error?.code == .notFound)
                #expect(error?.message.contains("was removed or replaced") == true)
                #expect(await Notes.code { _ = try await Notes.titles(storage) } == .notFound)
                try await storage.close()
            }
        }
    }

    @Test("an unprotected read is busy once a writer may have reused its pages")
    func unprotectedRead() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            let storage = LMDBStorage(path: path)
            try await storage.open(StorageOpening(nil, .reading))
            // The test writes a header as a commit of another process does.
            let header = try Header(file: path + "/data.mdb")
            // The first read begins at the stored commit, the second at the next one.
            for (commits, code) in [(1, nil), (3, PatchbayError.Code.busy)] as [(UInt64, PatchbayError.Code?)]
            {
                let number = header.transaction + commits
                let got = await Notes.code {
                    try await storage.read { _ in
                        var bytes = [UInt8](repeating: 0, count: 8)
                        Notes.store(number, in: &bytes, at: 0)
                        let data = unsafe open(path + "/data.mdb", O_RDWR)
                        defer { close(data) }
                        let place = off_t(Int(number & 1) * header.pageBytes + 144)
                        #expect(unsafe pwrite(data, bytes, 8, place) == 8)
                    }
                }
                #expect(got == code)
            }
            try await storage.close()
        }
    }

    @Test("files are created for their owner alone, and compacting keeps the mode of data.mdb")
    func modes() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await storage.backup(to: path + ".copy") { _ in }
                for folder in [path, path + ".copy"] {
                    #expect(try FileStatus(path: folder)?.mode == 0o700)
                    for name in Disk.names(folder) {
                        #expect(try FileStatus(path: "\(folder)/\(name)")?.mode == 0o600)
                    }
                }
                try #require(unsafe chmod(path + "/data.mdb", 0o640) == 0)
                try await storage.compact { _ in }
                #expect(try FileStatus(path: path + "/data.mdb")?.mode == 0o640)
            }
        }
    }

    @Test("a dangling link and a name that is too long are refused, and nothing is created")
    func unusablePaths() async throws {
        try await TemporaryDirectory.with { directory in
            let link = directory.path + "/link"
            try #require(unsafe symlink("nowhere", link) == 0)
            for path in [link, directory.path + "/" + String(repeating: "a", count: 256)] {
                #expect(await Notes.code { try await Notes.open(path) { _ in } } == .invalidConfiguration)
            }
            #expect(Disk.names(directory.path) == ["link"])
        }
    }

    @Test("a failed creation leaves no folder")
    func failedCreation() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let wide = (0..<600).map {
                CollectionSchema("c\($0)", key: 0, fields: [Field("id", .integer)])
            }
            #expect(await Notes.code { try await Notes.open(path, Schema(version: 1, wide)) { _ in } } != nil)
            #expect(Disk.names(directory.path) == [])
        }
    }
}
