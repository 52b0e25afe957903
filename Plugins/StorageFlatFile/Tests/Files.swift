#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PatchbayCore
import PatchbaySystem
import Testing

/// Reads, damages and copies the files of a storage in tests.
enum Files {
    static func names(_ folder: String) throws -> [String] {
        try #require(FileSystem.names(in: folder), "\(folder)")
    }

    /// The status of a name itself, even of a link.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status : nil
    }

    /// The permissions of a file or folder.
    static func mode(_ path: String) -> UInt32? { status(path).map { UInt32($0.st_mode) & 0o777 } }

    static func isFolder(_ path: String) -> Bool { FileSystem.isFolder(path) }

    static func read(_ path: String) throws -> [UInt8] {
        let file = try unsafe #require(unsafe fopen(path, "r"), "\(path)")
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = unsafe fread(&part, 1, part.count, file), count > 0 { bytes += part[..<count] }
        return bytes
    }

    /// Replaces the content of a file without replacing the file.
    static func write(_ bytes: [UInt8], _ path: String) throws { try write(bytes, path, "w", at: 0) }

    /// Changes bytes of a file that may be open.
    static func overwrite(_ bytes: [UInt8], _ path: String, at offset: Int = 0) throws {
        try write(bytes, path, "r+", at: offset)
    }

    private static func write(_ bytes: [UInt8], _ path: String, _ mode: String, at offset: Int) throws {
        let file = try unsafe #require(unsafe fopen(path, mode), "\(path)")
        unsafe fseek(file, offset, SEEK_SET)
        let written = unsafe fwrite(bytes, 1, bytes.count, file)
        try #require(unsafe fclose(file) == 0 && written == bytes.count, "\(path)")
    }

    static func makeFolder(_ path: String) throws { try #require(unsafe mkdir(path, 0o755) == 0, "\(path)") }

    static func remove(_ path: String) throws { try #require(unsafe unlink(path) == 0, "\(path)") }

    static func copy(_ folder: String, to target: String) throws {
        try makeFolder(target)
        for name in try names(folder) {
            if isFolder("\(folder)/\(name)") {
                try copy("\(folder)/\(name)", to: "\(target)/\(name)")
            } else {
                try write(try read("\(folder)/\(name)"), "\(target)/\(name)")
            }
        }
    }

    static func removeAll(_ folder: String) throws {
        FileSystem.removeAll(folder)
        try #require(status(folder) == nil, "\(folder)")
    }

    static func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }

    /// Every name below a folder, with its type, content and times.
    static func picture(_ folder: String) throws -> [String: String] {
        var picture: [String: String] = [:]
        for name in try names(folder) {
            let path = "\(folder)/\(name)", status = try #require(self.status(path))
            let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
            picture[name] = "\(status.st_mode) \(status.st_ino) \(status.st_nlink) \(times)"
            if isFolder(path) {
                for (inner, value) in try self.picture(path) { picture["\(name)/\(inner)"] = value }
            } else if status.st_mode & S_IFMT == S_IFREG {
                picture[name]! += " \(try read(path))"
            }
        }
        return picture
    }

    /// The output of a shell command; nil when it fails.
    static func output(of command: String) -> String? {
        guard let pipe = unsafe popen(command, "r") else { return nil }
        var output: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte != EOF { output.append(UInt8(byte)) }
        return unsafe pclose(pipe) == 0 ? String(decoding: output, as: UTF8.self) : nil
    }
}
