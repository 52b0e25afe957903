import PatchbayJSON

/// What GitHub says with an error: `{"message": ..., "block": {"reason": ...}}`, and of a request that is not valid
/// `"errors": [{"message": ...}]`.
///
/// Anything else, such as a proxy's web page, says nothing.
struct ErrorBody {
    private(set) var message: String?
    private(set) var blockReason: String?
    /// What is not valid, the first of it.
    private(set) var fault: String?

    init(_ body: [UInt8]) {
        var reader = JSONReader(body.span.bytes)
        // An error body that cannot be read explains nothing; the status alone decides.
        try? read(&reader)
    }

    /// The message as a part of a sentence, empty without one.
    var quote: String {
        [message, fault].compactMap { $0 }.map { ": " + Quotation.quoted($0) }.joined()
    }

    /// Whether the message holds a text in small letters, however it is written.
    func says(_ text: String) -> Bool { message?.lowercased().contains(text) == true }

    private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let kind = try reader.peek()
            if kind == .string, key == "message" {
                message = try reader.readString()
            } else if kind == .object, key == "block" {
                try readBlock(&reader)
            } else if kind == .array, key == "errors" {
                try readFaults(&reader)
            } else {
                try reader.skipValue()
            }
        }
    }

    private mutating func readFaults(_ reader: inout JSONReader) throws(JSONError) {
        try reader.beginArray()
        while try reader.nextElement() {
            guard try reader.peek() == .object else {
                try reader.skipValue()
                continue
            }
            try reader.beginObject()
            while let key = try reader.nextKey() {
                if fault == nil, key == "message", try reader.peek() == .string {
                    fault = try reader.readString()
                } else {
                    try reader.skipValue()
                }
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
