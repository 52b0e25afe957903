import PatchbayDomain
import PatchbayJSON

/// What distinguishes a row from an answer that contains rows.
struct RawShape {
    /// The members of a row that have its key; none when the key comes from elsewhere.
    private let key: Set<String>
    /// The members of a row that have its fields.
    private let fields: Set<String>
    /// The members that lead to the rows of an answer, or to the first other step of their path.
    private let rows: [String]

    init(_ declaration: ResourceDeclaration) {
        func members(_ fields: some Sequence<FieldDeclaration>) -> Set<String> {
            Set(
                fields.compactMap { field in
                    guard case .path(let path) = field.origin, case .member(let name)? = path.steps.first
                    else { return nil }
                    return name
                })
        }
        fields = members(declaration.fields)
        key = members(declaration.fields.lazy.filter { declaration.key.contains($0.name) })
        rows = declaration.rows.leadingNames
    }

    /// What an object has of a row and of an answer.
    struct Found {
        var hasKey = false
        var hasRows = false
        /// Whether the first of the rows has the key, and more of the fields than the object.
        var isLessThanRow = false
    }

    /// Finds the key of a row, and the rows of an answer, in an object. A path to rows that begins with another step
    /// than a member makes every object an answer. If the key comes from elsewhere, any other object may be a row.
    func find(in reader: inout JSONReader) throws(JSONError) -> Found {
        guard !rows.isEmpty else {
            try reader.skipValue()
            return Found(hasRows: true)
        }
        var names: Set<String> = [], within: (hasRows: Bool, first: Set<String>) = (false, [])
        try reader.beginObject()
        while let member = try reader.nextKey() {
            let name = member.string()
            names.insert(name)
            if name == rows[0] {
                within = try find(at: rows.dropFirst(), &reader)
            } else {
                try reader.skipValue()
            }
        }
        let isLess =
            within.first.isSuperset(of: key)
            && within.first.intersection(fields).count > names.intersection(fields).count
        let hasKey = key.isEmpty ? !within.hasRows : names.isSuperset(of: key)
        return Found(hasKey: hasKey, hasRows: within.hasRows, isLessThanRow: isLess)
    }

    /// Whether an object or an array is at a path, and the members of the array's first element.
    private func find(
        at path: ArraySlice<String>, _ reader: inout JSONReader
    ) throws(JSONError) -> (hasRows: Bool, first: Set<String>) {
        let kind = try reader.peek()
        guard let next = path.first else {
            if kind == .array { return (true, try membersOfFirst(&reader)) }
            try reader.skipValue()
            return (kind == .object, [])
        }
        guard kind == .object else {
            try reader.skipValue()
            return (false, [])
        }
        var found: (hasRows: Bool, first: Set<String>) = (false, [])
        try reader.beginObject()
        while let member = try reader.nextKey() {
            if member.string() == next {
                found = try find(at: path.dropFirst(), &reader)
            } else {
                try reader.skipValue()
            }
        }
        return found
    }

    private func membersOfFirst(_ reader: inout JSONReader) throws(JSONError) -> Set<String> {
        var names: Set<String> = [], isFirst = true
        try reader.beginArray()
        while try reader.nextElement() {
            if isFirst, try reader.peek() == .object {
                try reader.beginObject()
                while let member = try reader.nextKey() {
                    names.insert(member.string())
                    try reader.skipValue()
                }
            } else {
                try reader.skipValue()
            }
            isFirst = false
        }
        return names
    }
}
