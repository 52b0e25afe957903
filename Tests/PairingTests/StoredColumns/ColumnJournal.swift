import Foundation
import PatchbayCore
import Synchronization

/// What happened in a process that tries values, line by line in a file that survives the process.
final class ColumnJournal: Sendable {
    /// The longest time that a use may take.
    static let limit = Duration.seconds(20)

    private let file: FileHandle
    private let state = Mutex((value: "", use: "", since: ContinuousClock.Instant?.none))

    /// Creates the file. The process ends when a use takes longer than the limit.
    ///
    /// - Parameter isFirst: whether a file of an earlier test is replaced.
    init(_ path: String, isFirst: Bool) throws {
        if isFirst || !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 0.5)
                let (value, use, since) = state.withLock { $0 }
                guard let since, ContinuousClock.now - since > Self.limit else { continue }
                write("found", "\(value): \(use) takes longer than \(Self.limit)")
                exit(1)
            }
        }
    }

    func tries(_ number: Int, _ value: String) {
        state.withLock { $0.value = value }
        write("value", "\(number) \(value)")
    }

    func begins(_ use: String) {
        state.withLock { ($0.use, $0.since) = (use, ContinuousClock.now) }
        write("use", use)
    }

    func ends() {
        let (use, since) = state.withLock { state in
            defer { state.since = nil }
            return (state.use, state.since)
        }
        if let since, .now - since > .milliseconds(200) { write("slow", "\(use) took \(.now - since)") }
    }

    /// An error of a use. It must concern the value, and not be the program's own fault.
    func failed(_ error: PatchbayError) {
        write(error.code == .internalError ? "found" : "error", "\(place): \(error.code) \(error.message)")
    }

    func answered(_ status: Int, _ body: String) { write("error", "\(place): \(status) \(body)") }
    func found(_ text: String) { write("found", "\(place): \(text)") }
    func suspected(_ text: String) { write("suspected", "\(place): \(text)") }
    func noted(_ text: String) { write("noted", "\(place): \(text)") }

    private var place: String { state.withLock { "\($0.value) | \($0.use)" } }

    private func write(_ kind: String, _ text: String) {
        let line = text.prefix(700).unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        try? file.write(contentsOf: Data("\(kind)\t\(line)\n".utf8))
    }
}
