import PatchbayCore
import PatchbayJSON

extension RecordedExchange {
    /// Returns every text of the entry in file order: address, headers, cookies, query, bodies, and unknown members.
    ///
    /// - Throws: ``UnreadableEntry`` when a header, parameter or cookie is not a name and a value.
    package func texts() throws(UnreadableEntry) -> [RecordedText] {
        var texts = RecordedTexts(recording: file)
        var reader = JSONReader(json.span.bytes)
        do throws(JSONError) {
            try texts.walk(&reader, "")
            return texts.found
        } catch {
            let fault = EntryFault.unexpected(number, error.message, at: offset + error.offset)
            throw UnreadableEntry(fault, number: number, in: file)
        }
    }
}

/// Walks through all values of an entry, or of a member outside the entries.
struct RecordedTexts {
    /// The path of the file, beside which bodies may be.
    let recording: String
    private(set) var found: [RecordedText] = []

    init(recording: String) { self.recording = recording }

    mutating func walk(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        switch try reader.peek() {
        case .string: found.append(RecordedText(place: place, kind: .other, bytes: try reader.readBytes()))
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try walkElement(&reader, place) }
        case .object where place == "response.content" || place == "request.postData":
            try walkBody(&reader, place)
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                try walk(&reader, place.isEmpty ? name : "\(place).\(name)")
            }
        default: try reader.skipValue()
        }
    }

    private mutating func walkElement(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        let list = place.split(separator: ".").last ?? ""
        let isInEntry = !place.hasPrefix("log.")
        let isPair = isInEntry && ["headers", "cookies", "queryString", "params"].contains(list)
        guard isPair, try reader.peek() == .object else { return try walk(&reader, place) }
        let pair = try NameAndValue(&reader)
        let kind: RecordedText.Kind =
            switch list {
            case "headers": .field(name: pair.name)
            case "cookies": .cookie(name: pair.name)
            default: .parameter(name: pair.name)
            }
        found.append(RecordedText(place: place, kind: kind, bytes: Array(pair.value.utf8)))
    }

    /// Reads a body. Its text is decoded, and its media type determines whether it is a form.
    private mutating func walkBody(_ reader: inout JSONReader, _ place: String) throws(JSONError) {
        var text: [UInt8] = []
        var mediaType = ""
        var isBase64 = false
        var attachment: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            guard try reader.peek() == .string else {
                try walk(&reader, "\(place).\(name)")
                continue
            }
            switch name {
            case "text": text = try reader.readBytes()
            case "mimeType": mediaType = try reader.readString().lowercased()
            case "_file": attachment = try reader.readString()
            case "encoding": isBase64 = try reader.readString() == "base64"
            default: try walk(&reader, "\(place).\(name)")
            }
        }
        if text.isEmpty, let attachment {
            // A body that cannot be read is a fault of its entry.
            text = (try? AttachedBody.bytes(named: attachment, beside: recording)) ?? []
            isBase64 = false
        }
        let isForm = mediaType.hasPrefix("application/x-www-form-urlencoded")
        let bytes = isBase64 ? Base64.decoded(text) ?? text : text
        found.append(RecordedText(place: place, kind: isForm ? .form : .other, bytes: bytes))
    }
}

extension JSONReader {
    /// Reads a text without its escapes.
    fileprivate mutating func readBytes() throws(JSONError) -> [UInt8] {
        var bytes: [UInt8] = []
        try readText().append(to: &bytes)
        return bytes
    }
}
