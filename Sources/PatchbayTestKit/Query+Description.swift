import PatchbayCore

extension Query {
    /// The query as one line of text, for messages.
    var description: String {
        var words = ["\(collection.name) by \(index.name)", bounds.description]
        if let after { words.append("after \(after.escaped)") }
        if order == .descending { words.append("descending") }
        if limit != .max { words.append("limit \(limit)") }
        if fields != .all {
            words.append("fields \((0..<Limits.fields).filter { fields.contains(position: $0) })")
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Bounds {
    fileprivate var description: String {
        switch self {
        case .all: return ""
        case .equal(let key): return "= \(key.escaped)"
        case .prefix(let key): return "prefix \(key.escaped)"
        case .between(let lower, let upper):
            let from = lower.map { "\($0.isInclusive ? "from" : "after") \($0.key.escaped)" }
            let to = upper.map { "\($0.isInclusive ? "to" : "until before") \($0.key.escaped)" }
            return [from, to].compactMap { $0 }.joined(separator: " ")
        }
    }
}

extension Key {
    /// The key, with everything but printable ASCII escaped.
    var escaped: String {
        switch self {
        case .compound(let values): "(" + values.map(\.escaped).joined(separator: ", ") + ")"
        default: FieldValue(self).description
        }
    }
}
