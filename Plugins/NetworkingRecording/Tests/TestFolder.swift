import CPlatform
import PatchbayTestKit

/// A temporary folder for recordings.
struct TestFolder {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    var path: String { directory.path }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String = "test.har") -> String { write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) -> String {
        let file = unsafe append(to: name)
        unsafe fwrite(bytes, 1, bytes.count, file)
        unsafe fclose(file)
        return path + "/" + name
    }

    /// Opens a file for writing at its end.
    func append(to name: String) -> UnsafeMutablePointer<FILE> {
        guard let file = unsafe fopen(path + "/" + name, "a") else {
            preconditionFailure("\(name) cannot be written")
        }
        return unsafe file
    }

    func makeFolder(_ name: String) -> String {
        unsafe mkdir(path + "/" + name, 0o700)
        return path + "/" + name
    }
}
