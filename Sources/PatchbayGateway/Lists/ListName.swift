import PatchbayCore
import PatchbayDomain

/// The parts of stored names of lists (``ListQuestion/name``) that distinguish one kind of list from another.
enum ListName {
    /// What follows the name of a resource in that of a search.
    private static let searchInfix = " \(ListQuestion.foundBy) "
    private static let afterInfix = " after "
    private static let newerSuffix = " \tnewer"

    static func search(_ subject: String, _ text: String) -> String { subject + searchInfix + text }

    /// A list that was entered after a value.
    static func list(_ name: String, after value: Int64) -> String {
        value > 0 ? "\(name)\(afterInfix)\(value)" : name
    }

    /// The pages of the runs of a list that request newer rows.
    static func newer(_ name: String) -> String { name + newerSuffix }

    /// Whether a name is that of a search in a collection.
    static func isSearch(_ name: String, in collection: String) -> Bool {
        name.hasPrefix(collection + searchInfix)
    }

    /// Whether a name is that of a list entered after a value, or of the newer rows of one.
    static func isPart(_ name: String) -> Bool {
        if name.hasSuffix(newerSuffix) { return true }
        let words = name.split(separator: " ").suffix(2)
        return words.count == 2 && words.first == "after" && words.last.flatMap { Int64($0) } != nil
    }

    /// Whether a name is that of a list, or of the same list entered after a value.
    static func isName(_ name: String, of list: String) -> Bool {
        name == list || name.hasPrefix(list + afterInfix)
    }

    /// The lists whose names continue that of a kind of list, after a space with arguments or a parent.
    static func withArguments(_ kind: String) -> (bounds: Bounds, end: Bounds.Bound) {
        names(from: kind + " ", to: kind + "!")
    }

    /// The views of a collection, whose names follow a dot.
    static func views(_ collection: String) -> (bounds: Bounds, end: Bounds.Bound) {
        names(from: collection + ".", to: collection + "/")
    }

    private static func names(from start: String, to end: String) -> (bounds: Bounds, end: Bounds.Bound) {
        let end = Bounds.Bound.excluding(.text(end))
        return (.between(.including(.text(start)), end), end)
    }
}
