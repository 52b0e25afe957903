package import HTTPTypes
package import PatchbayCore

/// Writes each exchange with the network to a HAR 1.2 file, which browsers, HAR viewers and `Recording` can open.
///
/// The layer is next to the network, so the file contains every hop, attempt and 304. An answer is returned only after
/// it has been written to the file.
///
/// - The file is complete at every moment, even when the process is killed. A program that has it open while exchanges
///   are added may read parts of two states. Only its owner can read it.
/// - Secrets are not written to the file: header fields that contain them (`Authorization`, `Cookie`, `Set-Cookie`,
///   `X-GitHub-OTP`), query items and form parameters (`SecretNames`), everything with the shape of a token, and
///   ``KnownSecrets`` in every spelling that ``SecretFilter`` knows. They are replaced by `REDACTED`.
/// - Requests without an answer are not recorded. A body of more than 64 MiB is left out.
/// - One recorder writes to a file at a time.
package final class Recorder: NetworkingLayer {
    private let file: RecordingFile
    private let clock: LayerClock
    private let written: @Sendable (Result<Void, PatchbayError>) -> Void
    private let secrets: KnownSecrets

    /// - Parameters:
    ///   - isAdding: whether to add to an existing file; otherwise the first exchange replaces it.
    ///   - secrets: the known secrets; those of a request are removed from its exchange as well.
    ///   - written: called after each exchange has been written to the file, or could not be.
    /// - Throws: `invalidConfiguration` when the folder does not exist or nothing can be added to the file because it
    ///   is not HAR; `permissionDenied`; `busy` when another recorder writes to it.
    package init(
        path: String, isAdding: Bool, clock: LayerClock, secrets: KnownSecrets = KnownSecrets(),
        written: @escaping @Sendable (Result<Void, PatchbayError>) -> Void = { _ in }
    ) throws {
        file = try RecordingFile(path, isAdding: isAdding)
        self.clock = clock
        self.secrets = secrets
        self.written = written
    }

    /// - Throws: `storageFull` and other errors of the disk, besides errors of the network.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let startedAt = clock.now()
        let start = clock.uptime()
        let response = try await next.send(request, body: body)
        let entry = HAREntry(
            request: request, requestBody: body, response: response, startedAt: startedAt,
            duration: clock.uptime() - start, secrets: secrets.filter(for: request))
        do {
            try await file.append(entry.json())
        } catch let error as PatchbayError {
            written(.failure(error))
            throw error
        }
        written(.success(()))
        return response
    }

    /// Closes the file, so that another recorder can write to it. Later requests fail with `busy`.
    package func close() async { await file.close() }
}

/// Writes entries one after another on its own thread.
actor RecordingFile {
    /// The maximum number of entries that one recorder writes, which is also the maximum of a replay.
    static let entriesMax = 1_000_000

    private let executor = BlockingExecutor(label: "patchbay.recorder")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: String
    /// Nil after `close`.
    private var copies: HARCopies?
    private var entryCount = 0

    init(_ path: String, isAdding: Bool) throws {
        self.path = path
        copies = try HARCopies(path, isAdding: isAdding, head: HAREntry.fileHead)
    }

    func append(_ entry: [UInt8]) throws {
        guard entryCount < Self.entriesMax else {
            throw PatchbayError(
                .storageFull, "the recording \"\(path)\" has \(Self.entriesMax) new entries; start another")
        }
        guard let copies else {
            throw PatchbayError(.busy, "the recording \"\(path)\" was closed; open the source again")
        }
        try copies.append(entry)
        entryCount += 1
    }

    func close() { copies = nil }
}
