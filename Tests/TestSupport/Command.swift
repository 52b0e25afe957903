public import Foundation

/// Runs the built command `patchbay` as its users do.
public struct Command: Sendable {
    /// What a finished run left.
    public struct Outcome: Sendable {
        public let status: Int32
        public let output: String
        public let errors: String
    }

    /// The variables that a run sees besides its own `HOME`.
    public var environment: [String: String] = [:]
    public var directory: String
    /// What a run reads from its standard input; nothing when nil.
    public var input: String?

    private let program: URL

    /// - Parameters:
    ///   - directory: the working directory, which is also the home of the run.
    ///   - program: another program than the command, such as a shell around it.
    public init(in directory: String, program: String? = nil) {
        self.directory = directory
        self.program = program.map { URL(fileURLWithPath: $0) } ?? Command.executable
    }

    /// The command beside the running tests.
    public static var executable: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            folder = URL(fileURLWithPath: argument).standardizedFileURL
        }
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("patchbay")
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        preconditionFailure("no patchbay beside the tests; build it first")
    }

    /// Held by every test that starts a process: Foundation's `run` crashed in several threads at once, and a process
    /// started meanwhile may inherit the socket by which Foundation learns that another one has ended.
    public static let starting = NSLock()

    /// Starts the command; the caller waits for it or kills it.
    ///
    /// - Parameter input: what the command reads; the property's text, or nothing, by default.
    public func start(
        _ arguments: [String], input: Any? = nil, output: Any, errors: Any
    ) throws -> Process {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.environment = ["HOME": directory, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = try input ?? self.input.map(Command.file) ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try Self.starting.withLock { try process.run() }
        return process
    }

    /// A file that holds a text, open for reading and gone from its folder.
    private static func file(_ text: String) throws -> FileHandle {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }

    /// Runs the command to its end.
    public func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    /// Runs the command to its end without holding the caller's thread, for a server beside it.
    public func finished(_ arguments: String...) async throws -> Outcome { try await finished(arguments) }

    public func finished(_ arguments: [String]) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try run(arguments) }) }
        }
    }

    public func run(_ arguments: [String]) throws -> Outcome {
        // Files, not pipes: nobody has to read while the command runs.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appendingPathComponent("out"), folder.appendingPathComponent("err")]
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        let process = try start(arguments, output: handles[0], errors: handles[1])
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        let isKilled = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: isKilled ? -process.terminationStatus : process.terminationStatus, output: texts[0],
            errors: texts[1])
    }
}
