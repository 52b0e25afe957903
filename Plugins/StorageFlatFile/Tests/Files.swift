#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
@testable import StorageFlatFile

/// The files of a storage, as a test reads, damages and copies them.
enum Files {
    static func names(_ folder: String) throws -> [String] { try Disk().names(in: folder).sorted() }

    static func read(_ path: String) throws -> [UInt8] {
        let file = try DiskFile(path, .read, Disk())
        let buffer = ByteBuffer(capacity: try file.byteCount() + 1)
        buffer.count = try file.read(buffer.capacity, at: 0, into: buffer.base)
        return buffer.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
    }

    static func write(_ bytes: [UInt8], _ path: String) throws {
        try DiskFile(path, .create, Disk()).write(bytes.span.bytes, at: 0)
    }

    static func copy(_ folder: String, to target: String) throws {
        try Disk().makeFolder(target)
        for name in try names(folder) {
            if try Disk().kind(of: "\(folder)/\(name)") == .folder {
                try copy("\(folder)/\(name)", to: "\(target)/\(name)")
            } else {
                try write(try read("\(folder)/\(name)"), "\(target)/\(name)")
            }
        }
    }

    static func removeAll(_ folder: String) throws {
        for name in try names(folder) {
            let path = "\(folder)/\(name)"
            if try Disk().kind(of: path) == .folder { try removeAll(path) } else { try Disk().remove(path) }
        }
        rmdir(folder)
    }

    static func text(_ path: String) throws -> String { String(decoding: try read(path), as: UTF8.self) }

    /// What a shell command prints; nil when it fails.
    static func output(of command: String) -> String? {
        guard let pipe = popen(command, "r") else { return nil }
        var output: [UInt8] = []
        while case let byte = fgetc(pipe), byte != EOF { output.append(UInt8(byte)) }
        return pclose(pipe) == 0 ? String(decoding: output, as: UTF8.self) : nil
    }
}
