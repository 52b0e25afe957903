import PatchbayCore
import PatchbayJSON

/// The body of a request, as used for matching.
enum RequestBody {
    case none
    case text([UInt8])
    /// The parameters of a form or the members of a JSON object, sorted and without secrets.
    case parameters([QueryItem])

    init(_ bytes: [UInt8], mediaType: String) {
        let isForm = mediaType.lowercased().hasPrefix("application/x-www-form-urlencoded")
        if bytes.isEmpty {
            self = .none
        } else if isForm {
            self = .parameters(QueryItem.items(of: bytes))
        } else if let members = RequestBody.members(of: bytes) {
            self = .parameters(members)
        } else {
            self = .text(bytes)
        }
    }

    init(form parameters: [QueryItem]) {
        self = parameters.isEmpty ? .none : .parameters(QueryItem.matched(parameters))
    }

    /// Returns the members of a JSON object, with their values as written except for white space; nil for another body.
    private static func members(of bytes: [UInt8]) -> [QueryItem]? {
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return nil }
        var reader = JSONReader(bytes.span.bytes)
        var items: [QueryItem] = []
        do {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                _ = try reader.peek()
                let start = reader.offset
                try reader.skipValue()
                guard !SecretNames.isSecret(member: name) else { continue }
                items.append(QueryItem(name: name.utf8, value: compact(bytes[start..<reader.offset])))
            }
            try reader.finish()
        } catch {
            // Not JSON, so the whole text is compared.
            return nil
        }
        return QueryItem.matched(items)
    }

    /// Returns JSON without the white space between its parts.
    private static func compact(_ json: ArraySlice<UInt8>) -> [UInt8] {
        var isInText = false, isEscaped = false
        return json.filter { byte in
            defer {
                if byte == UInt8(ascii: "\""), !isEscaped { isInText.toggle() }
                isEscaped = isInText && !isEscaped && byte == UInt8(ascii: "\\")
            }
            return isInText || byte > 0x20
        }
    }

    var parameters: [QueryItem]? { if case .parameters(let items) = self { items } else { nil } }

    /// A digest of a body without parameters, which the index keeps instead of the body; nil for other bodies.
    ///
    /// Its key is random in each process. Two bodies have the same digest with a probability of 1 in 2^64.
    var digest: Int? {
        var hasher = Hasher()
        switch self {
        case .none, .parameters: return nil
        case .text(let bytes): hasher.combine(bytes)
        }
        return hasher.finalize()
    }
}
