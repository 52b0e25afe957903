import PatchbayDomain
import PatchbayJSON

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
