import CPlatform
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import StorageSQLite

/// A folder for one test's database.
final class TestFolder: Sendable {
    private let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path
    }

    var database: String { path + "/test.sqlite" }

    func storage(_ schema: Schema = TestCollections.schema) async throws -> SQLiteStorage {
        let storage = SQLiteStorage(path: database)
        try await storage.open(schema)
        return storage
    }

    var names: [String] { FileSystem.names(in: path) ?? [] }

    func size(of name: String) -> Int {
        var status = stat()
        return unsafe stat(path + "/" + name, &status) == 0 ? Int(status.st_size) : 0
    }

    func write(_ bytes: [UInt8], to name: String = "test.sqlite") {
        let file = unsafe fopen(path + "/" + name, "w")!
        unsafe fwrite(bytes, 1, bytes.count, file)
        unsafe fclose(file)
    }

    func bytes(of name: String = "test.sqlite") -> [UInt8] {
        guard let file = unsafe fopen(path + "/" + name, "r") else { return [] }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Runs SQL in the `sqlite3` shell and returns its output.
    func sqlite3(_ sql: String) -> String { TestFolder.shell("sqlite3 '\(database)' \"\(sql)\" 2>&1") }

    static let hasSQLiteShell = !shell("command -v sqlite3").isEmpty

    /// Runs a command and returns its output.
    static func shell(_ command: String) -> String {
        let pipe = unsafe popen(command, "r")!
        var output: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte != EOF { output.append(UInt8(byte)) }
        unsafe pclose(pipe)
        return String(decoding: output, as: UTF8.self).trimmed
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
