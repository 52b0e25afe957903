import FoundationEssentials
import PatchbayCore
import PatchbaySystem

/// Messages over a socket, each a line of JSON. Each side waits for the other's message before it sends the next. The
/// report of a comparison is coded the same way.
struct Frames: Sendable {
    /// The longest message. Messages are short, because they contain the answers of at most one operation.
    static let bytesMax = 256 << 20

    private static let lineFeed = UInt8(ascii: "\n")

    let socket: Int32

    /// Waits for the next message and blocks the thread; nil when the other side has closed the connection.
    func read<Message: Decodable>() throws -> Message? {
        var line: [UInt8] = []
        // Nothing follows a message before its answer, so its line feed is the last byte to be read.
        while line.last != Frames.lineFeed {
            switch Descriptor.read(socket, bytesMax: 1 << 16) {
            case .success(let part) where part.isEmpty: return nil
            case .success(let part): line += part
            case .failure(.interrupted): continue
            case .failure(let error): throw Frames.failure("read from", error)
            }
            if line.count > Frames.bytesMax { throw Frames.fault }
        }
        return try Frames.message(line) as Message
    }

    /// - Returns: the number of bytes.
    /// - Throws: `internalError` when the other side has closed the connection.
    @discardableResult
    func write(_ message: some Encodable) throws -> Int {
        let bytes = try Frames.bytes(of: message) + [Frames.lineFeed]
        var written = 0
        while written < bytes.count {
            switch Descriptor.write(bytes, from: written, to: socket) {
            case .success(let count): written += count
            case .failure(.interrupted): continue
            case .failure(let error): throw Frames.failure("write to", error)
            }
        }
        return written
    }

    /// JSON with its keys in alphabetical order.
    static func bytes(of message: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(message))
    }

    /// - Throws: `DecodingError`.
    static func decoded<Message: Decodable>(_ bytes: [UInt8]) throws -> Message {
        try JSONDecoder().decode(Message.self, from: Data(bytes))
    }

    static func message<Message: Decodable>(_ bytes: [UInt8]) throws -> Message {
        do {
            return try decoded(bytes)
        } catch {
            throw fault
        }
    }

    /// A message that is not understood.
    static let fault = PatchbayError(
        .internalError, "two processes of one comparison do not understand each other")

    private static func failure(_ verb: String, _ error: SystemError) -> PatchbayError {
        PatchbayError(.internalError, "cannot \(verb) a process of the comparison: \(error.words)")
    }
}
