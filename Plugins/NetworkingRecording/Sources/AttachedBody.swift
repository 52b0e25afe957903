import PatchbayCore

/// A body that is in a file beside its recording, as Playwright attaches it: `"_file": "0a1b.json"`.
///
/// The file must be in the folder of the recording or below it, so that a recording from elsewhere gives access to no
/// other file: names that lead out of the folder, and links, are refused.
enum AttachedBody {
    /// Why an attached body cannot be read.
    enum Fault: Error {
        case missing(String)
        case outside(String)
        case link(String)
        case tooLarge(String)
        case unreadable(String, String)

        /// The fault in words that continue after the entry.
        ///
        /// - Parameter body: `a request body`.
        func words(for body: String = "a body") -> String {
            let (name, problem) =
                switch self {
                case .missing(let name): (name, "does not exist beside the recording; copy it there")
                case .outside(let name): (name, "is outside of the recording's folder and is not read")
                case .link(let name): (name, "is a link or not a file and is not read")
                case .tooLarge(let name): (name, "has more than \(HARFile.entryBytesMax >> 20) MiB")
                case .unreadable(let name, let problem): (name, "cannot be read: \(problem)")
                }
            return "has \(body) in the file \(Quotation.quoted(name)), which \(problem)"
        }
    }

    static func bytes(named name: String, beside recording: String) throws(Fault) -> [UInt8] {
        let names = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.contains("\0") }) else {
            throw .outside(name)
        }
        let folder = recording.lastIndex(of: "/").map { String(recording[...$0]) } ?? "."
        return try ReadableFile.bytes(attached: names, in: folder)
    }
}

/// The sizes of an answer's body that a recording states.
struct BodySize {
    /// `content.size`: after decoding, negative when not known.
    var inflated: Double?
    /// `response.bodySize`: as it was sent, negative when not known.
    var sent: Double?

    /// Whether an answer whose text was not recorded is complete, because it was empty or its status has no body.
    ///
    /// An empty answer has no bytes by one size, and not more by the other. Outside 2xx the status is the answer.
    func mayLackText(_ status: Int) -> Bool {
        guard (200...299).contains(status), status != 204, status != 205 else { return true }
        let sizes = [inflated, sent].compactMap { $0 }.filter { $0 >= 0 }
        return !sizes.isEmpty && sizes.allSatisfy { $0 == 0 }
    }
}
