#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A temporary folder, removed with all its files at the end of a test.
final class TestFolder {
    let path: String

    init() {
        var template = Array(
            "\(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")/patchbay-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary folder can be made")
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    deinit {
        for name in names { unlink(path + "/" + name) }
        rmdir(path)
    }

    private var names: [String] = []

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String = "test.har") -> String { write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String) -> String {
        let file = append(to: name)
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
        return path + "/" + name
    }

    /// Opens a file for writing at its end.
    func append(to name: String) -> UnsafeMutablePointer<FILE> {
        names.append(name)
        guard let file = fopen(path + "/" + name, "a") else {
            preconditionFailure("\(name) cannot be written")
        }
        return file
    }

    func makeFolder(_ name: String) -> String {
        mkdir(path + "/" + name, 0o700)
        names.append(name)
        return path + "/" + name
    }
}
