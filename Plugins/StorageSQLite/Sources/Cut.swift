/// A place between two entries of an index: before or after all entries that start with some values.
struct Cut: Equatable {
    var values: [PartValue]
    var isAfter: Bool

    static let start = Cut(values: [], isAfter: false)
    static let end = Cut(values: [], isAfter: true)
}

extension Cut: Comparable {
    static func < (left: Cut, right: Cut) -> Bool {
        for (left, right) in zip(left.values, right.values) where left != right { return left < right }
        if left.values.count == right.values.count { return !left.isAfter && right.isAfter }
        return left.values.count < right.values.count ? !left.isAfter : right.isAfter
    }
}
