import PatchbayJSON

extension JSONValue {
    /// Returns the path of the first difference, such as `[3].owner.login`, with a description; nil for equal values.
    /// The order of an object's members is ignored.
    func difference(from other: JSONValue, at place: String = "") -> String? {
        switch (self, other) {
        case (.null, .null): return nil
        case (.bool(let left), .bool(let right)) where left == right: return nil
        case (.number(let left), .number(let right)) where left == right: return nil
        case (.text(let left), .text(let right)) where left.utf8.elementsEqual(right.utf8): return nil
        case (.array(let left), .array(let right)):
            for (index, pair) in zip(left, right).enumerated() {
                if let found = pair.0.difference(from: pair.1, at: "\(place)[\(index)]") { return found }
            }
            return left.count == right.count
                ? nil : "\(JSONValue.name(place)): \(left.count) elements, \(right.count)"
        case (.object(let left), .object(let right)):
            return JSONValue.difference(left, right, at: place)
        default: return "\(JSONValue.name(place)) differs"
        }
    }

    private static func difference(
        _ left: [(name: String, value: JSONValue)], _ right: [(name: String, value: JSONValue)],
        at place: String
    ) -> String? {
        let others = Dictionary(right.map { ($0.name, $0.value) }) { $1 }
        for (name, value) in left {
            let path = place.isEmpty ? name : "\(place).\(name)"
            guard let other = others[name] else { return "\(path) is only in the first" }
            if let found = value.difference(from: other, at: path) { return found }
        }
        let names = Set(left.map(\.name))
        return right.first { !names.contains($0.name) }.map { member in
            "\(place.isEmpty ? member.name : "\(place).\(member.name)") is only in the second"
        }
    }

    private static func name(_ place: String) -> String { place.isEmpty ? "the whole" : place }
}
