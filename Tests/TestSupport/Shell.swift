import Foundation

/// Other programs of the machine, for what they say of our files.
public enum Shell {
    /// Whether there is a program of this name.
    public static func has(_ name: String) throws -> Bool {
        try !output(of: "command -v \(name) || true").isEmpty
    }

    /// What a line for `sh` prints on its standard output. Waits for it on the caller's thread.
    public static func output(of line: String) throws -> String {
        var shell = Command(in: "/", program: "/bin/sh")
        shell.environment = ProcessInfo.processInfo.environment
        return try shell.run("-c", line).output
    }
}
