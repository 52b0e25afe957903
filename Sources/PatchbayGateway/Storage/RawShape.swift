import PatchbayDomain
import PatchbayJSON

/// What distinguishes a row from an answer that contains rows.
struct RawShape {
    /// The members of a row that have its key; none when the key comes from elsewhere.
    private let key: Set<String>
    /// The members that lead to the rows of an answer, or to the first other step of their path.
    private let rows: [String]

    init(_ declaration: ResourceDeclaration) {
        key = Set(
            declaration.fields.lazy.filter { declaration.key.contains($0.name) }.compactMap { field in
                guard case .path(let path) = field.origin, case .member(let name)? = path.steps.first
                else { return nil }
                return name
            })
        rows = declaration.rows.leadingNames
    }

    /// Finds the key of a row, and the rows of an answer, in an object. A path to rows that begins with another step
    /// than a member makes every object an answer. If the key comes from elsewhere, any other object may be a row.
    func find(in reader: inout JSONReader) throws(JSONError) -> (hasKey: Bool, hasRows: Bool) {
        guard !rows.isEmpty else {
            try reader.skipValue()
            return (false, true)
        }
        var missing = key, hasRows = false
        try reader.beginObject()
        while let member = try reader.nextKey() {
            let name = member.string()
            missing.remove(name)
            if name == rows[0] {
                hasRows = try Self.hasRows(rows.dropFirst(), &reader)
            } else {
                try reader.skipValue()
            }
        }
        return (key.isEmpty ? !hasRows : missing.isEmpty, hasRows)
    }

    /// Whether an object or an array is at a path.
    private static func hasRows(
        _ path: ArraySlice<String>, _ reader: inout JSONReader
    ) throws(JSONError) -> Bool {
        let kind = try reader.peek()
        guard let next = path.first else {
            try reader.skipValue()
            return kind == .array || kind == .object
        }
        guard kind == .object else {
            try reader.skipValue()
            return false
        }
        var hasRows = false
        try reader.beginObject()
        while let member = try reader.nextKey() {
            if member.string() == next {
                hasRows = try Self.hasRows(path.dropFirst(), &reader)
            } else {
                try reader.skipValue()
            }
        }
        return hasRows
    }
}
