/// What a request carries, as far as it takes part in matching.
enum RequestBody {
    case none
    case text([UInt8])
    /// The parameters of a form, in one order.
    case form([QueryItem])

    init(_ bytes: [UInt8], mediaType: String) {
        let isForm = mediaType.lowercased().hasPrefix("application/x-www-form-urlencoded")
        if bytes.isEmpty {
            self = .none
        } else if isForm {
            self = .form(QueryItem.items(of: String(decoding: bytes, as: UTF8.self)))
        } else {
            self = .text(bytes)
        }
    }

    init(form parameters: [QueryItem]) {
        self = parameters.isEmpty ? .none : .form(QueryItem.matched(parameters))
    }

    /// A number that stands for the body, nil without one. The index keeps it instead of the body.
    ///
    /// It is keyed anew in each process, and two bodies share one by chance only: once in 2^64.
    var digest: Int? {
        var hasher = Hasher()
        switch self {
        case .none: return nil
        case .text(let bytes): hasher.combine(bytes)
        case .form(let items): hasher.combine(items)
        }
        return hasher.finalize()
    }
}
