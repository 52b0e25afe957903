import PatchbayCore
import PatchbaySystem

/// A program that prints a secret: `gh auth token`, `pass show github`.
///
/// No shell is involved: the command is split at spaces and passed to the program unchanged, so `;`, `$` and quotes
/// have no meaning. The program receives no standard input, its standard error is discarded, and it is killed when it
/// takes too long or prints too much.
struct SecretCommand {
    private let words: [String]
    private let environment: [String: String]
    private let limit: Duration

    static let bytesMax = 4096
    static let usualLimit = Duration.seconds(10)

    init(_ text: String, environment: [String: String], limit: Duration = usualLimit) {
        words = text.split(separator: " ").map(String.init)
        self.environment = environment
        self.limit = limit
    }

    /// Why there is no secret, as a phrase that follows the command.
    struct Failure: Error, Equatable {
        let words: String
    }

    /// Returns the output of the program. Blocks until it ends.
    func output() throws(Failure) -> [UInt8] {
        guard !words.isEmpty else { throw Failure(words: "names no program") }
        let deadline = ContinuousClock.now + limit
        guard let pipe = ProcessPipe() else { throw Failure(words: "cannot be started: no pipe is left") }
        defer { pipe.closeReading() }
        let process: ChildProcess
        do {
            defer { pipe.closeWriting() }
            process = try ChildProcess(words, environment: environment, output: pipe.writing)
        } catch {
            throw Failure(words: error.words)
        }
        guard let bytes = pipe.rest(max: Self.bytesMax, until: deadline) else { throw late(process) }
        guard bytes.count <= Self.bytesMax else {
            process.end()
            throw Failure(words: "printed more than \(Self.bytesMax) bytes")
        }
        // It has closed its output, and usually ends at once.
        guard let status = process.status(until: deadline) else { throw late(process) }
        guard status == 0 else {
            throw Failure(words: "ended with the status \(status); run it in a terminal to see why")
        }
        return bytes
    }

    private func late(_ process: ChildProcess) -> Failure {
        process.end()
        return Failure(words: "took longer than \(limit.components.seconds) s")
    }
}
