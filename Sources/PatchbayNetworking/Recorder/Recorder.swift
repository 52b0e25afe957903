public import HTTPTypes
public import PatchbayCore

/// Writes each exchange with the network to a HAR 1.2 file, which browsers, HAR viewers and `Recording` open.
///
/// It stands nearest the network, so that the file holds what was sent: each hop, each attempt, each 304. An answer is
/// handed on when it is in the file.
///
/// - The file is whole at each moment, also when the process is killed. It is private to its owner.
/// - Secrets do not reach the file: fields that hold them (`Authorization`, `Cookie`, `Set-Cookie`, `X-GitHub-OTP`),
///   query items and form parameters (`SecretNames`), whatever has the shape of a token, and the credentials that
///   requests carry, in every spelling that ``SecretFilter`` knows. `REDACTED` replaces them.
/// - Requests without an answer are not recorded. A body of more than 64 MiB is left out.
/// - One recorder writes to a file at a time.
public final class Recorder: NetworkingLayer {
    private let file: RecordingFile
    private let clock: LayerClock
    private let hasWritten: @Sendable () -> Void
    private let secrets = KnownSecrets()

    /// - Parameters:
    ///   - isAdding: keeps what the file holds and adds to it; else the first exchange replaces it.
    ///   - hasWritten: hears of each exchange that is in the file.
    /// - Throws: `invalidConfiguration` when the folder does not exist or the file is no HAR that can be added to;
    ///   `permissionDenied`; `busy` when another recorder writes to it.
    public init(
        path: String, isAdding: Bool, clock: LayerClock, hasWritten: @escaping @Sendable () -> Void = {}
    ) throws {
        file = try RecordingFile(path, isAdding: isAdding)
        self.clock = clock
        self.hasWritten = hasWritten
    }

    /// - Throws: `storageFull` and other errors of the disk, besides what the network throws.
    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        secrets.learn(from: request)
        let startedAt = clock.now()
        let start = clock.uptime()
        let response = try await next.send(request, body: body)
        let entry = HAREntry(
            request: request, requestBody: body, response: response, startedAt: startedAt,
            duration: clock.uptime() - start, secrets: secrets.filter)
        try await file.append(entry.json())
        hasWritten()
        return response
    }

    /// Gives the file back, so that another recorder can write to it. Who sends afterwards gets `busy`.
    public func close() async { await file.close() }
}
