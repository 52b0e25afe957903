import Foundation

/// Runs other programs of the machine, to examine the files that tests produce.
public enum Shell {
    /// Whether a program with this name is installed.
    public static func has(_ name: String) throws -> Bool {
        try !output(of: "command -v \(name) || true").isEmpty
    }

    /// The standard output of a line for `sh`. Blocks the calling thread.
    public static func output(of line: String) throws -> String {
        var shell = Command(in: "/", program: "/bin/sh")
        shell.environment = ProcessInfo.processInfo.environment
        return try shell.run("-c", line).output
    }
}
