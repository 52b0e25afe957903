import PatchbayCore
import PatchbayJSON

/// What a request carries, as far as it takes part in matching.
enum RequestBody {
    case none
    case text([UInt8])
    /// The parameters of a form, or the members of a JSON object, in one order and without secrets.
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

    /// The members of a JSON object, each with its value as it is written but for white space; nil for another body.
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
            // No JSON: the text as a whole is compared.
            return nil
        }
        return QueryItem.matched(items)
    }

    /// JSON without the white space between its parts.
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

    /// A number that stands for a body without parameters, nil for any other. The index keeps it instead of the body.
    ///
    /// It is keyed anew in each process, and two bodies share one by chance only: once in 2^64.
    var digest: Int? {
        var hasher = Hasher()
        switch self {
        case .none, .parameters: return nil
        case .text(let bytes): hasher.combine(bytes)
        }
        return hasher.finalize()
    }
}
