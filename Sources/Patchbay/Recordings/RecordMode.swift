import NetworkingRecording
import PatchbayCore
import PatchbayNetworking

/// What a source that asks a network does with its recording; the option `record-mode`.
public enum RecordMode: String, CaseIterable, Sendable {
    /// Sends every request; the first exchange replaces what the file holds.
    case record
    /// Answers what the file holds, asks the rest and adds it.
    case missing = "record-missing"
}

extension PluginOption {
    /// The options of a source whose exchanges can be recorded.
    static let recording = [
        PluginOption(
            "record", .path,
            "the HAR file that every exchange is written to, without secrets; records nothing when not set"),
        PluginOption(
            "record-mode", .choice(RecordMode.allCases.map(\.rawValue)),
            default: RecordMode.record.rawValue,
            "record sends every request and replaces the file; record-missing answers what the file holds and adds the "
                + "rest"),
    ]
}

extension LayerOptions {
    /// Sets the layers that record, when a file is named.
    ///
    /// - Throws: before anything is asked, when the file is no HAR or cannot be written to.
    mutating func record(_ settings: Settings) throws {
        guard let path = settings.text("record") else { return }
        let mode = settings.text("record-mode").flatMap(RecordMode.init) ?? .record
        do {
            let held = try FileReading.isFile(path) ? Recording.open(path, isGrowing: true) : nil
            if mode == .missing { recording = held?.layered(CleanedRequests()) }
            let tally = RecordingTally.current
            recorder = try Recorder(path: path, isAdding: mode == .missing, clock: clock) { tally?.add() }
        } catch let error as PatchbayError where error.code == .invalidConfiguration {
            throw settings.error(
                "record", "nothing is recorded; name a HAR file, or a new one in a folder that exists",
                cause: error)
        }
    }
}
