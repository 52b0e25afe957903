import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The options about what is sent; every command that asks a source has them.
struct RequestOptions: ParsableArguments {
    @Flag(help: "Say at the end how many requests were sent and what they cost.")
    var stats = false

    @Flag(
        help: """
            Write one line for each request to standard error. The variable PATCHBAY_LOG=FILE appends them to a file, \
            with or without this option; PATCHBAY_LOG=- is the same as this option.
            """)
    var log = false

    @Option(
        help: ArgumentHelp(
            "Request nothing again that is younger: 30s, 5m, 1h, 7d or forever.", valueName: "age"),
        transform: RequestOptions.age)
    var maxAge: Duration?

    private static func age(_ text: String) throws -> Duration {
        do {
            return try DefinitionWords.age(text)
        } catch {
            throw ValidationError(error.problem)
        }
    }

    /// Takes the requests that are sent; nil when nobody wants to see them.
    ///
    /// - Throws: `permissionDenied` and alike when the file cannot be written.
    func report() throws -> (@Sendable (RequestLogEntry) -> Void)? {
        guard let write = try lines() else { return nil }
        return { write($0.line) }
    }

    /// Takes the lines of the log; nil when nobody wants them.
    ///
    /// - Throws: `permissionDenied` and alike when the file cannot be written.
    func lines() throws -> (@Sendable (String) -> Void)? {
        let name = POSIX.environment("PATCHBAY_LOG") ?? ""
        let isShown = log || name == "-"
        let file = name.isEmpty || name == "-" ? nil : try AppendedFile(name)
        guard isShown || file != nil else { return nil }
        return { line in
            if isShown { Message.write(line) }
            file?.append(line)
        }
    }

    /// Reports what was sent, if that is wanted.
    func writeStatistics(of gateways: Gateways) {
        for gateway in gateways.all { writeStatistics(of: gateway.source, gateways.prefix(gateway)) }
    }

    /// - Parameter prefix: what the line begins with where there are several sources.
    func writeStatistics(of source: Source, _ prefix: String = "") {
        guard stats else { return }
        Message.write(prefix + "requests: " + (source.requests?().line ?? "none was sent"))
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
            (refused, "not sent for a limit"), (unsavedBudgets, "budgets not saved"),
        ]
        parts += rare.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.joined(separator: ", ")
    }
}

extension RequestLogEntry {
    /// The entry as one line: what was asked, what came, how long it took, and what is left; `-` for what is not
    /// known.
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
