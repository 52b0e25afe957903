import PatchbayJSON

/// The members of a mapping that is being read.
struct YAMLMembers {
    private var members: [(name: String, value: JSONValue)] = []
    private var lines: [String: Int] = [:]
    private var merged: [YAMLReader.Node] = []
    private var count = 1

    /// - Parameter line: the line of the key.
    /// - Throws: for a key that comes twice or names no member.
    mutating func add(
        _ key: YAMLReader.Node, _ value: YAMLReader.Node, in reader: YAMLReader, line: Int
    ) throws(YAMLError) {
        guard let name = key.text else {
            throw reader.fault("a key is a list or a mapping, which JSON cannot express", line: line)
        }
        if key.isPlain, name == "<<" {
            guard merged.isEmpty else { throw reader.fault("the key << comes twice", line: line) }
            merged = try Self.mappings(of: value, in: reader, line: line)
        } else {
            if let first = lines.updateValue(line, forKey: name) {
                throw reader.fault(
                    "the key \"\(DraftWords.shown(name))\" is in line \(first), too", line: line)
            }
            members.append((name, value.value))
        }
        try reader.add(value, to: &count)
    }

    /// The mappings that `<<` merges.
    private static func mappings(
        of value: YAMLReader.Node, in reader: YAMLReader, line: Int
    ) throws(YAMLError) -> [YAMLReader.Node] {
        var mappings: [YAMLReader.Node] = []
        for mapping in value.value.isObject ? [value.value] : value.value.elements {
            guard mapping.isObject else { break }
            mappings.append(YAMLReader.Node(value: mapping))
        }
        guard !mappings.isEmpty, mappings.count == max(1, value.value.elements.count) else {
            throw reader.fault("the value of << is neither a mapping nor a list of mappings", line: line)
        }
        return mappings
    }

    /// The mapping, in which members of its own replace merged ones.
    var node: YAMLReader.Node {
        var all = members, names = Set(lines.keys)
        for mapping in merged {
            for member in mapping.value.members where names.insert(member.name).inserted {
                all.append(member)
            }
        }
        return YAMLReader.Node(value: .object(all), count: count)
    }
}
