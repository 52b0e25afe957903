import ArgumentParser
import Patchbay
import PatchbaySystem
import PatchbayTerminal

/// The options about requests, for every command that may query a source.
struct RequestOptions: ParsableArguments {
    @Flag(help: "At the end, print how many requests were sent and what they cost.")
    var stats = false

    @Flag(
        help: """
            Write one line per request to standard error. The environment variable PATCHBAY_LOG=FILE appends the lines \
            to a file, with or without this option; PATCHBAY_LOG=- is the same as this option.
            """)
    var log = false

    @Option(
        help: ArgumentHelp(
            "Do not request data again that is younger than this: 30s, 5m, 1h, 7d or forever.",
            valueName: "age"),
        transform: RequestOptions.age)
    var maxAge: Duration?

    static func age(_ text: String) throws -> Duration {
        do {
            return try DefinitionWords.age(text)
        } catch {
            throw ValidationError(error.problem)
        }
    }

    /// Returns a function that logs each request; nil when no log is wanted.
    ///
    /// - Throws: `permissionDenied` and similar when the file cannot be written.
    func report() throws -> (@Sendable (RequestLogEntry) -> Void)? {
        guard let write = try lines() else { return nil }
        return { write($0.line) }
    }

    /// Returns a function that writes a line of the log; nil when no log is wanted.
    ///
    /// - Throws: `permissionDenied` and similar when the file cannot be written.
    func lines() throws -> (@Sendable (String) -> Void)? {
        let name = CurrentProcess.variable("PATCHBAY_LOG") ?? ""
        let isShown = log || name == "-"
        let file = name.isEmpty || name == "-" ? nil : try AppendedFile(name)
        guard isShown || file != nil else { return nil }
        return { line in
            if isShown { Message.write(line) }
            file?.append(line)
        }
    }

    /// Prints the request counts with `--stats`.
    func writeStatistics(of gateways: Gateways) {
        for gateway in gateways.all { writeStatistics(of: gateway.source, gateways.prefix(gateway)) }
    }

    /// - Parameter prefix: the prefix of the line when there are several sources.
    func writeStatistics(of source: Source, _ prefix: String) {
        guard stats else { return }
        Message.write(prefix + "requests: " + (source.requests?().line ?? "none sent over the network"))
    }
}

extension RequestCounts {
    /// The counts as one line for people.
    var line: String {
        var parts = [
            "\(sent) sent", "\(notModified) unchanged (304)", "cost \(cost)", "\(retried) retried",
            "waited \(waitedTime.components.seconds) s", "\(bodyBytes) bytes",
        ]
        let rare = [
            (failed, "without an answer"), (coalesced, "shared"), (recorded, "from a recording"),
            (refused, "not sent because of a limit"), (unsavedBudgets, "budgets not saved"),
        ]
        parts += rare.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.joined(separator: ", ")
    }
}

extension RequestLogEntry {
    /// The entry as one line: the request, its result, the duration and the remaining budget; `-` for unknown values.
    var line: String {
        let result =
            status.map(String.init) ?? error.map { $0.rawValue.replacing(" ", with: "-") } ?? "cancelled"
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        let fields = [
            startedAt.description, method, url, result, "\(milliseconds)ms", "\(bodyBytes)B",
            origin.rawValue.replacing(" ", with: "-"), "left=\(remaining.map(String.init) ?? "-")",
            "id=\(serverRequestID ?? "-")", "token=\(tokenFingerprint?.description ?? "-")",
        ]
        return fields.joined(separator: " ")
    }
}
