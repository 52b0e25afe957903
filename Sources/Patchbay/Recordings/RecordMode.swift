import NetworkingRecording
package import PatchbayCore
import PatchbayNetworking
import Synchronization

/// How a source that uses the network treats its recording; the option `record-mode`.
package enum RecordMode: String, CaseIterable, Sendable {
    /// Sends every request; the first exchange replaces the contents of the file.
    case record
    /// Answers from the file, and sends and adds all other requests.
    case missing = "record-missing"
}

extension PluginOption {
    /// The options of a source whose exchanges can be recorded.
    static let recording = [
        PluginOption(
            "record", .path,
            "the HAR file to which every exchange is written, without secrets; nothing is recorded when not set"
        ),
        PluginOption(
            "record-mode", .choice(RecordMode.allCases.map(\.rawValue)),
            default: RecordMode.record.rawValue,
            "record sends every request and replaces the file; record-missing answers from the file and adds the "
                + "rest"),
    ]
}

extension LayerOptions {
    /// Adds the recording layers when a file is named.
    ///
    /// - Throws: before any request is sent, when the file is not a HAR file or cannot be written.
    mutating func record(_ settings: Settings) throws {
        guard let path = settings.text("record") else { return }
        let mode = settings.text("record-mode").flatMap(RecordMode.init) ?? .record
        let tally = RecordingTally.current
        do {
            let held = try FileReading.isFile(path) ? Recording.open(path, isGrowing: true) : nil
            if mode == .missing {
                recording = held?.layered(CleanedRequests(), RecordedAttempts(bodyLimit: bodyLimit))
            }
            recorder = try Recorder(
                path: path, isAdding: mode == .missing, clock: clock, secrets: log.secrets
            ) { tally?.add($0) }
        } catch let error as PatchbayError {
            tally?.add(.failure(error))
            guard error.code == .invalidConfiguration else { throw error }
            throw settings.error(
                "record", "nothing is recorded; name a HAR file, or a new one in a folder that exists",
                cause: error)
        }
    }
}

/// Counts the exchanges that recorders write, and keeps the first error of writing one.
///
///     let tally = RecordingTally()
///     try await RecordingTally.$current.withValue(tally) { ... }      // opens a gateway and uses it
///     print(tally.exchanges)
package final class RecordingTally: Sendable {
    /// The tally of all sources opened in this task.
    @TaskLocal package static var current: RecordingTally?

    private let count = Atomic(0)
    private let firstFailure = Mutex<PatchbayError?>(nil)

    /// Creates a tally of zero; set it as ``current`` before opening the sources that it counts.
    package init() {}

    /// The number of exchanges written to files so far.
    package var exchanges: Int { count.load(ordering: .relaxed) }

    /// The first error of writing an exchange, even if the command used stored rows instead.
    package var failure: PatchbayError? { firstFailure.withLock { $0 } }

    func add(_ outcome: Result<Void, PatchbayError>) {
        switch outcome {
        case .success: count.add(1, ordering: .relaxed)
        case .failure(let error): firstFailure.withLock { $0 = $0 ?? error }
        }
    }
}
