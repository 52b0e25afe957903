import PatchbayCore
import PatchbayJSON

/// The body of a request, as used for matching.
enum RequestBody {
    case none
    case text([UInt8])
    /// The parameters of a form or the members of a JSON object, sorted and without secrets.
    case parameters([QueryItem])

    init(_ bytes: [UInt8], mediaType: String) {
        // A body that is not JSON is compared as it is.
        let isForm = mediaType.lowercased().hasPrefix("application/x-www-form-urlencoded")
        if bytes.isEmpty {
            self = .none
        } else if isForm {
            self = .parameters(QueryItem.items(of: bytes))
        } else if let json = try? JSONValue(bytes) {
            self = json.isObject ? .parameters(RequestBody.members(of: json)) : .text(json.canonicalBytes)
        } else {
            self = .text(bytes)
        }
    }

    init(form parameters: [QueryItem]) {
        self = parameters.isEmpty ? .none : .parameters(QueryItem.matched(parameters))
    }

    /// The members of a JSON object as parameters of a form, which match the same parameters sent as a form.
    private static func members(of object: JSONValue) -> [QueryItem] {
        let members = object.matched.members.filter {
            !SecretNames.isSecret(member: $0.name) && $0.value.word != SecretNames.placeholder
        }
        return QueryItem.matched(
            members.map {
                QueryItem(name: $0.name.utf8, value: PercentEncoding.segment($0.value.formText).utf8)
            })
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

extension JSONValue {
    /// The value as a form contains it: a text without quotes, unless it would then be another value in JSON.
    fileprivate var formText: String {
        // Only a text that is not JSON itself loses its quotes.
        if case .text(let text) = self, (try? JSONValue(Array(text.utf8))) == nil { return text }
        return String(decoding: canonicalBytes, as: UTF8.self)
    }

    /// JSON that is the same for equal values, whatever their white space, escapes and order of members.
    fileprivate var canonicalBytes: [UInt8] { matched.line }

    private var isLeftOut: Bool {
        switch self {
        case .null: true
        case .object(let members): members.isEmpty
        default: false
        }
    }

    /// With sorted members, and without those that are null or empty objects. Programs send `"after": null` for the
    /// first page, where a definition has no parameter.
    fileprivate var matched: JSONValue {
        switch self {
        case .null, .bool, .number, .text: self
        case .array(let elements): .array(elements.map(\.matched))
        case .object:
            .object(
                members.map { ($0.name, $0.value.matched) }
                    .filter { !$0.1.isLeftOut }
                    .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) })
        }
    }
}
