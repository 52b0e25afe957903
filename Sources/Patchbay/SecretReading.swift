import PatchbayCore
import PatchbaySystem

/// Reads a secret from its configured source: `env:NAME`, `file:PATH` or `command:PROGRAM ARGUMENTS`.
struct SecretReading {
    let environment: [String: String]

    private static let bytesMax = 4096

    /// The secret, without white space around it.
    ///
    /// - Throws: `invalidConfiguration` when there is none, or when users other than the owner may read or write the
    ///   file. No message contains the secret.
    func secret(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let place = entry.value.text
        let text =
            if place.hasPrefix("env:") {
                try variable(entry, String(place.dropFirst("env:".count)))
            } else if place.hasPrefix("command:") {
                try command(entry)
            } else {
                try file(entry)
            }
        let secret = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !secret.isEmpty else { throw fault(entry, "contains no secret") }
        return secret
    }

    private func variable(_ entry: EffectiveConfiguration.Entry, _ name: String) throws -> String {
        guard let text = environment[name] else {
            throw fault(entry, "names a variable that is not set; set it, or remove \(entry.key)")
        }
        return text
    }

    private func file(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let written = String(entry.value.text.dropFirst("file:".count))
        let path = try PathExpansion(environment: environment).expand(written, from: entry.value.folder)
        do throws(FileReading.Fault) {
            let bytes = try FileReading.bytes(of: path, bytesMax: SecretReading.bytesMax, .secret)
            guard let bytes else { throw FileReading.Fault(words: "does not exist") }
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw fault(entry, error.words)
        }
    }

    private func command(_ entry: EffectiveConfiguration.Entry) throws -> String {
        let words = String(entry.value.text.dropFirst("command:".count))
        do throws(SecretCommand.Failure) {
            return String(
                decoding: try SecretCommand(words, environment: environment).output(), as: UTF8.self)
        } catch {
            throw fault(entry, error.words)
        }
    }

    private func fault(_ entry: EffectiveConfiguration.Entry, _ problem: String) -> PatchbayError {
        PatchbayError(
            .invalidConfiguration, "\(entry.key): \"\(entry.value.shownText)\" \(problem)",
            [.at(entry.value.origin)])
    }
}

extension ConfigurationValue {
    /// The folder of the file that contains the value; nil for any other origin.
    var folder: String? {
        guard case .file(let path, _) = origin, let end = path.lastIndex(of: "/") else { return nil }
        return String(path[..<end])
    }
}

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
