import Foundation

/// Other programs of the machine, for what they say of our files.
public enum Shell {
    /// Whether there is a program of this name.
    public static func has(_ name: String) throws -> Bool {
        try !output(of: "command -v \(name) || true").isEmpty
    }

    /// What a line for `sh` prints on its standard output.
    ///
    /// Waits for it on the caller's thread; for programs that end within a second.
    public static func output(of line: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try Command.starting.withLock { try process.run() }
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}
