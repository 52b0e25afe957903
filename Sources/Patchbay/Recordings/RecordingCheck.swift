import NetworkingRecording
import PatchbayCore
import PatchbayNetworking

/// Finds faults in a recording: damage, gaps in lists, secrets.
package struct RecordingCheck: Sendable {
    /// The maximum number of faults in the result; further ones are only counted.
    package static let faultsMax = 1_000

    /// The number of files that were checked.
    package let files: Int
    /// The number of entries, including those that cannot be replayed.
    package private(set) var exchanges = 0
    /// In the order of the files, at most ``faultsMax``.
    package private(set) var faults: [RecordingFault] = []
    /// The number of faults of each kind.
    package private(set) var counts: [RecordingFault.Kind: Int] = [:]

    /// Checks a HAR file, or the `*.har` files of a folder; lists may continue from one file to another.
    ///
    /// Memory use is twice the largest entry, independent of the file's size. A placeholder in the place of a secret,
    /// such as `REDACTED`, `removed` or `***`, is not a fault.
    ///
    /// - Throws: `invalidConfiguration` when the file does not exist, `permissionDenied`. A file that is not a HAR file
    ///   is a fault.
    package init(of path: String) throws {
        let paths = try Recording.files(of: path)
        files = paths.count
        let recording = try Recording.inspecting(files: paths, name: path) { path, error in
            guard error.code == .invalidConfiguration, FileReading.exists(path) else { throw error }
            add(RecordingFault(kind: .damage, file: path, entry: nil, place: nil, message: error.message))
        }
        try recording.forEachExchange { exchange in
            exchanges += 1
            do {
                try check(exchange.get(), in: recording)
            } catch let entry as UnreadableEntry {
                add(
                    RecordingFault(
                        kind: .damage, file: entry.file, entry: entry.number, place: nil,
                        message: entry.message))
            }
        } besides: { file, text in
            addSecret(in: text, file: file, entry: nil)
        }
    }

    private mutating func check(_ exchange: RecordedExchange, in recording: Recording) throws {
        if let problem = recording.problem(of: exchange) { add(.damage, exchange, nil, problem) }
        if exchange.isGap(in: recording), let next = exchange.nextQuestion {
            add(.gap, exchange, "response.headers \"link\"", "the next page was not recorded: \(next)")
        }
        for text in try exchange.texts() { addSecret(in: text, file: exchange.file, entry: exchange.number) }
    }

    private mutating func addSecret(in text: RecordedText, file: String, entry: Int?) {
        guard let place = SecretPlace(of: text) else { return }
        add(
            RecordingFault(
                kind: .secret, file: file, entry: entry, place: place.description,
                message: "a secret; remove it, and make it invalid"))
    }

    private mutating func add(
        _ kind: RecordingFault.Kind, _ exchange: RecordedExchange, _ place: String?, _ message: String
    ) {
        add(
            RecordingFault(
                kind: kind, file: exchange.file, entry: exchange.number, place: place, message: message))
    }

    private mutating func add(_ fault: RecordingFault) {
        counts[fault.kind, default: 0] += 1
        if faults.count < Self.faultsMax { faults.append(fault) }
    }
}

package struct RecordingFault: Sendable {
    /// The kinds of fault.
    package enum Kind: String, Sendable, CaseIterable {
        /// A file that is not a HAR file, or an exchange that cannot be replayed.
        case damage
        /// A list whose next page was not recorded.
        case gap
        /// A text that is a secret by its name or shape, such as a token in a header field.
        case secret
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The path of the file that contains the fault.
    package let file: String
    /// The number of the entry in the file, starting with 1; nil when the fault concerns the file.
    package let entry: Int?
    /// The place in the entry; nil for the whole entry.
    package let place: String?
    /// The problem, without the secret.
    package let message: String
}

/// The place of a secret in an entry of a recording.
struct SecretPlace: CustomStringConvertible {
    let description: String

    /// Nil when the text contains no secret recognisable by name or shape, or only placeholders.
    init?(of text: RecordedText) {
        guard let offset = Self.offset(in: text) else { return nil }
        switch text.kind {
        case .field(let name), .cookie(let name), .parameter(let name):
            description = "\(text.place) \"\(Self.harmless(name))\""
        case .body, .other: description = "\(Self.harmless(text.place)) byte \(offset)"
        }
    }

    private static let filter = SecretFilter()

    private static func offset(in text: RecordedText) -> Int? {
        switch text.kind {
        case .field(let name), .cookie(let name), .parameter(let name):
            if hasSecret(name) { return 0 }
        case .body, .other: break
        }
        let isSecretByName =
            switch text.kind {
            case .field(let name) where text.place == "request.headers": SecretNames.mayBeSecret(field: name)
            case .field(let name): SecretNames.isSecret(field: name)
            case .parameter(let name): SecretNames.isSecret(parameter: name)
            case .cookie: true
            case .body, .other: false
            }
        if isSecretByName { return isPlaceholder(text.bytes[...]) ? nil : 0 }
        let mediaType = if case .body(let mediaType) = text.kind { mediaType } else { "" }
        let secrets = filter.secrets(in: text.bytes, mediaType: mediaType)
        return secrets.first { !isPlaceholder(text.bytes[$0]) }?.lowerBound
    }

    /// Whether this is a placeholder for a secret, or empty.
    private static func isPlaceholder(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.allSatisfy({ "*xX.-_ ".utf8.contains($0) }) { return true }
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        return ["redacted", "removed", "filtered", "hidden", "placeholder"].contains(where: text.contains)
    }

    /// A name from the file, which may be anything, even a secret.
    private static func harmless(_ name: String) -> String {
        hasSecret(name) ? "..." : String(name.prefix(100))
    }

    private static func hasSecret(_ name: String) -> Bool { !filter.secrets(in: Array(name.utf8)).isEmpty }
}
