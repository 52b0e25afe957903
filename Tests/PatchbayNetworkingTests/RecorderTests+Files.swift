import CPlatform
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import Testing

extension RecorderTests {
    func bytes() throws -> [UInt8] {
        let file = try unsafe #require(fopen(path, "r"))
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return Array(bytes.prefix(count))
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        let file = try unsafe #require(fopen(path, "w"))
        defer { unsafe fclose(file) }
        unsafe fwrite(bytes, 1, bytes.count, file)
    }

    /// The names in the test's folder.
    func names() -> [String] { FileSystem.names(in: directory.path) ?? [] }

    func mode() -> mode_t {
        var status = stat()
        unsafe stat(path, &status)
        return status.st_mode & 0o777
    }

    func setMode(_ mode: mode_t) { unsafe chmod(path, mode) }

    func text(of name: String) -> String? {
        guard let file = unsafe fopen(directory.path + "/" + name, "r") else { return nil }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Creates an obstacle at the recording's path.
    func make(_ kind: Obstacle) throws {
        switch kind {
        case .symbolicLink: try linkVictim(as: "test.har")
        case .pipe: unsafe mkfifo(path, 0o600)
        case .folder: unsafe mkdir(path, 0o700)
        }
        try write(Array("precious".utf8), to: directory.path + "/victim")
    }

    func removeRecording() { unsafe remove(path) }

    /// Makes a symbolic link to a file that must not be changed.
    func linkVictim(as name: String) throws {
        try write(Array("precious".utf8), to: directory.path + "/victim")
        unsafe symlink("victim", directory.path + "/" + name)
    }

    func linkRecording(as name: String) throws { unsafe link(path, directory.path + "/" + name) }

    /// Things that may be at the path of a new recording.
    enum Obstacle {
        case symbolicLink, pipe, folder
    }
}
