public import Foundation
import PatchbayTestKit

/// Runs the built command `patchbay` as users do.
public struct Command: Sendable {
    /// The result of a finished run.
    public struct Outcome: Sendable {
        /// The exit status.
        public let status: Int32
        /// The text on standard output.
        public let output: String
        /// The text on standard error, without reports of a wait for a source, which a busy machine causes at any time.
        public let errors: String
    }

    /// The environment variables of a run besides its own `HOME`.
    public var environment: [String: String] = [:]
    /// The working directory.
    public var directory: String
    /// The standard input of a run; empty when nil.
    public var input: String?
    /// The maximum duration of a run, after which it is killed.
    public var limit = Duration.seconds(180)

    private let program: URL
    /// The folder that was made for the command; nil for a given one.
    private var folder: TemporaryDirectory?

    /// - Parameters:
    ///   - directory: the working directory, which is also the home folder of the run.
    ///   - program: another program than the command, such as a shell that runs it.
    ///   - environment: variables of the run.
    public init(in directory: String, program: String? = nil, environment: [String: String] = [:]) {
        self.directory = directory
        self.environment = environment
        self.program = program.map { URL(fileURLWithPath: $0) } ?? Command.executable
    }

    /// The command in a new folder, which is removed with the last copy of this value.
    public init(environment: [String: String] = [:]) throws {
        let folder = try TemporaryDirectory()
        self.init(in: folder.path, environment: environment)
        self.folder = folder
    }

    /// Writes a file in the working directory, or replaces it.
    public func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }

    /// The text of a file in the working directory.
    public func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }

    /// The command next to the running tests.
    public static var executable: URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
        for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
            folder = URL(fileURLWithPath: argument).standardizedFileURL
        }
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent("patchbay")
            var isFolder: ObjCBool = false
            if unsafe FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder),
                !isFolder.boolValue
            {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        preconditionFailure("no patchbay beside the tests; build it first")
    }

    /// Starts the command; the caller waits for it or kills it.
    ///
    /// - Parameters:
    ///   - input: the standard input; by default the text of the property, or nothing.
    ///   - output: a file, or a pipe whose writing end is closed here.
    ///   - limit: the time after which it is killed.
    public func start(
        _ arguments: [String], input: FileHandle? = nil, output: some CommandOutput,
        errors: some CommandOutput, limit: Duration = .seconds(180)
    ) throws -> RunningProcess {
        let input = try input ?? self.input.map(Command.file) ?? FileHandle.nullDevice
        let process = try RunningProcess(
            program.path, arguments,
            environment: ["HOME": directory, "PATH": "/usr/bin:/bin"].merging(environment) { $1 },
            directory: directory,
            streams: [input, output.writingEnd, errors.writingEnd].map(\.fileDescriptor), limit: limit)
        output.closeWritingEnd()
        errors.closeWritingEnd()
        return process
    }

    /// A file with a text, open for reading and already removed from its folder.
    private static func file(_ text: String) throws -> FileHandle {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }

    /// Runs the command to its end.
    public func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    /// Runs the command to its end with the words of a line, and then further ones.
    public func run(line: String, _ more: [String] = []) throws -> Outcome {
        try run(line.split(separator: " ").map(String.init) + more)
    }

    /// Runs the command to its end without blocking the caller's thread, for use with a server in the same test.
    public func finished(_ arguments: String...) async throws -> Outcome { try await finished(arguments) }

    /// Runs the command to its end without blocking a thread of the pool.
    public func finished(_ arguments: [String]) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try run(arguments) }) }
        }
    }

    /// Runs the command to its end.
    public func run(_ arguments: [String]) throws -> Outcome {
        // Files instead of pipes, because nothing reads while the command runs.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appendingPathComponent("out"), folder.appendingPathComponent("err")]
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let handles = try files.map { try FileHandle(forWritingTo: $0) }
        let process = try start(arguments, output: handles[0], errors: handles[1], limit: limit)
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        let isKilled = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: isKilled ? -process.terminationStatus : process.terminationStatus, output: texts[0],
            errors: texts[1].replacing(/waiting for [^\n]* for [0-9]+ s; Ctrl-C [^\n]*\n/, with: ""))
    }
}

/// The output of a process: a file, or a pipe that the test reads.
public protocol CommandOutput {
    var writingEnd: FileHandle { get }
    func closeWritingEnd()
}

extension FileHandle: CommandOutput {
    /// The descriptor that the command writes to.
    public var writingEnd: FileHandle { self }
    /// Does nothing, because the test keeps the file open.
    public func closeWritingEnd() {}
}

extension Pipe: CommandOutput {
    /// The end of the pipe that the command writes to.
    public var writingEnd: FileHandle { fileHandleForWriting }
    /// Makes reading end when the process does.
    public func closeWritingEnd() { try? fileHandleForWriting.close() }
}
