import PatchbayJSON

/// What GitHub says with an error: `{"message": ..., "documentation_url": ..., "block": {"reason": ...}}`.
///
/// Anything else, such as a proxy's web page, says nothing.
struct ErrorBody {
    private(set) var message: String?
    private(set) var documentationURL: String?
    private(set) var blockReason: String?

    init(_ body: [UInt8]) {
        var reader = JSONReader(body.span.bytes)
        // An error body that cannot be read explains nothing; the status alone decides.
        try? read(&reader)
    }

    /// The message as a part of a sentence, empty without one.
    var quote: String { message.map { ": " + Quotation.quoted($0) } ?? "" }

    /// Whether the message holds a text in small letters, however it is written.
    func says(_ text: String) -> Bool { message?.lowercased().contains(text) == true }

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let kind = try reader.peek()
            if kind == .string, key == "message" {
                message = try reader.readString()
            } else if kind == .string, key == "documentation_url" {
                documentationURL = try reader.readString()
            } else if kind == .object, key == "block" {
                try readBlock(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readBlock(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "reason", try reader.peek() == .string {
                blockReason = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
    }
}
