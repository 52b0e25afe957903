import PatchbayDomain

extension Resource {
    /// Returns the parameters that select rows along an index, which has to begin with the given fields.
    func walk(
        equal: [(name: String, text: String)], prefix: [(name: String, text: String)]
    ) throws(Problem) -> [(name: String, value: String?)] {
        let all = equal + prefix
        guard !all.isEmpty else { return [] }
        guard prefix.count <= 1 else { throw .invalid("prefix", "only one field can have a prefix") }
        let found = namedIndexes.first { index in
            let first = index.parts.prefix(all.count).map(\.field)
            return Set(first) == Set(all.map(\.name)) && (prefix.isEmpty || first.last == prefix[0].name)
        }
        guard let found else {
            let known = namedIndexes.map { $0.parts.map(\.field).joined(separator: ", ") }
            throw .invalid(
                equal.isEmpty ? "prefix" : "where",
                "no index begins with \(all.map(\.name).joined(separator: ", ")); there are indexes of "
                    + known.joined(separator: "; ") + "; \"query\" selects by any field")
        }
        return [("by", found.name)]
            + found.parts.prefix(all.count).map { part in
                let isPrefix = prefix.contains { $0.name == part.field }
                return (isPrefix ? "prefix" : "equal", all.first { $0.name == part.field }?.text)
            }
    }
}
