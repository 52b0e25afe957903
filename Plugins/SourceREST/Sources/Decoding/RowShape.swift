import PatchbayDomain
import PatchbayJSON

/// The instructions for reading a resource's rows from JSON, compiled once from its declaration.
final class RowShape: Sendable {
    /// The destination of a value.
    struct Target: Sendable {
        let place: Int
        let position: Int
        let type: ValueType
        let isLenient: Bool
        /// Whether a row must have the value, as a part of the key or the handle.
        let isRequired: Bool
        /// Whether several values are collected: texts joined by spaces, others as a JSON array.
        let isMany: Bool
        let bytesMax: Int?
        let name: String
        /// The path of the value for messages: `owner.id`.
        let path: String
        let origin: FieldDeclaration.Origin
    }

    let resource: Resource
    /// The targets, by the field's place.
    let targets: [Target]
    let tree: PathTree
    /// The path of the rows in an answer.
    let rows: [JSONPath.Step]
    let rowsMayBeMissing: Bool
    /// The rows that are kept; nil keeps all.
    let condition: RowCondition?
    /// The fields that do not come from the row's JSON: those from the parent, the member's name or the position.
    let outside: [Int]
    /// The fields whose stored values stay when a list row lacks them.
    let mayBeAbsent: UInt64
    let required: UInt64
    /// The fields of the key, and those of the key and the handle, whose texts are stored exactly or not at all.
    let keys: UInt64
    let exact: UInt64
    let all: UInt64
    let many: UInt64
    /// The fields that identify a row, whose ids an API may send as numbers or as texts.
    let ids: UInt64
    let orderPlace: Int?
    /// The key, if it is one text.
    let textKey: ResourceField?
    /// Whether rows must ascend by the order field; search results need not.
    let isOrdered: Bool
    /// Values for fields that an answer leaves out.
    let defaults: [(place: Int, value: @Sendable (Item) -> String?)]

    /// - Parameters:
    ///   - isSearch: whether the rows are results of a search, which may leave out fields.
    ///   - keepsAll: whether the resource's own condition does not count.
    init(
        _ resource: Resource, rows: JSONPath, defaults: [String: @Sendable (Item) -> String?],
        isOrdered: Bool, isSearch: Bool, keepsAll: Bool
    ) {
        self.resource = resource
        self.defaults = resource.fields.compactMap { field in
            defaults[field.name].map { (field.place, $0) }
        }
        self.rows = rows.steps
        rowsMayBeMissing = rows.mayBeMissing
        condition = keepsAll ? nil : resource.declaration.condition
        let handle = resource.declaration.handle.flatMap { resource.field(named: $0.field) }
        let targets = resource.fields.map { field in
            Target(
                field,
                isRequired: resource.key.contains(field) || (field == handle && !field.declaration.isLenient))
        }
        self.targets = targets
        tree = PathTree(
            targets.compactMap { target in
                if case .path(let path) = target.origin { (target.place, path.steps[...]) } else { nil }
            })
        outside = targets.filter { if case .path = $0.origin { false } else { true } }.map(\.place)
        func mask(_ isIncluded: (Target) -> Bool) -> UInt64 {
            targets.filter(isIncluded).reduce(0) { $0 | 1 << UInt64($1.place) }
        }
        mayBeAbsent = mask { isSearch || resource.fields[$0.place].declaration.isDetail }
        required = mask { $0.isRequired && defaults[$0.name] == nil }
        many = mask(\.isMany)
        keys = mask { resource.key.contains(resource.fields[$0.place]) }
        exact = mask {
            resource.key.contains(resource.fields[$0.place]) || resource.fields[$0.place] == handle
        }
        let names = [resource.declaration.handle?.field, resource.declaration.within]
        ids = mask { resource.key.contains(resource.fields[$0.place]) || names.contains($0.name) }
        all = mask { _ in true }
        orderPlace = resource.order?.place
        textKey = resource.key.count == 1 && resource.key[0].type == .text ? resource.key[0] : nil
        self.isOrdered = isOrdered && orderPlace != nil
    }
}

extension RowShape.Target {
    fileprivate init(_ field: ResourceField, isRequired: Bool) {
        let declaration = field.declaration
        var path = declaration.name, isMany = false
        if case .path(let place) = declaration.origin {
            path = place.steps.map(\.description).joined(separator: ".")
            isMany = place.isMany
        }
        self.init(
            place: field.place, position: field.position, type: field.type, isLenient: declaration.isLenient,
            isRequired: isRequired, isMany: isMany, bytesMax: declaration.bytesMax, name: declaration.name,
            path: path, origin: declaration.origin)
    }
}

/// JSON paths as one tree, so that a value is read once for all paths into it.
final class PathTree: Sendable {
    /// The indexes of the paths that end here.
    let leaves: [Int]
    /// The names of members on the paths, with the subtree of each.
    let keys: JSONKeys
    let children: [PathTree]
    /// The subtrees of array elements that paths name by index.
    let elements: [Int: PathTree]
    /// The subtree after `*`.
    let each: PathTree?
    /// The indexes of all paths that end here or below.
    let all: [Int]

    init(_ paths: [(number: Int, steps: ArraySlice<JSONPath.Step>)]) {
        leaves = paths.filter(\.steps.isEmpty).map(\.number)
        all = paths.map(\.number)
        var names: [String] = []
        for case .member(let name)? in paths.map(\.steps.first) where !names.contains(name) {
            names.append(name)
        }
        func after(_ steps: JSONPath.Step...) -> PathTree {
            PathTree(
                paths.filter { $0.steps.first.map(steps.contains) == true }
                    .map { ($0.number, $0.steps.dropFirst()) })
        }
        // A member with a name belongs to `*`, too.
        let children = names.map { after(.member($0), .each) }
        self.children = children
        keys = JSONKeys(names)
        elements = Dictionary(
            uniqueKeysWithValues: zip(names, children).compactMap { name, tree in Int(name).map { ($0, tree) }
            })
        each = paths.contains { $0.steps.first == .each } ? after(.each) : nil
    }

    /// Whether paths continue below.
    var isInner: Bool { !children.isEmpty || each != nil }
}
