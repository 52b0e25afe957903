import Glibc

/// Writes lines to standard output and standard error without buffering.
enum Console {
    static func line(_ text: String) { write(text, to: 1) }

    static func error(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = ArraySlice((text + "\n").utf8)
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // The reader has closed the pipe, so there is no one to report this to.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
