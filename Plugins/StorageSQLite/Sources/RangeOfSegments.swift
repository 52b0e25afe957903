import PatchbayCore

/// Splits a range of one index into segments, in ascending order.
struct RangeOfSegments {
    let collection: CollectionSchema
    /// The parts of an entry: the index's own, followed by those of the primary key.
    let parts: [Index.Part]

    /// `lower` must come before `upper`.
    func segments(from lower: Cut, to upper: Cut) -> [Segment] {
        let (low, high) = (lower.values, upper.values)
        let shared = zip(low, high).prefix { $0 == $1 }.count
        let equal = Array(low.prefix(shared))
        if low.count == shared, high.count == shared { return [Segment(equal: equal)] }
        var segments: [Segment] = []
        // Deeper limits of the lower end precede the entries between the ends, and those of the upper end follow
        // them.
        for depth in stride(from: low.count - 1, to: shared, by: -1) {
            segments += between(Array(low.prefix(depth)), self.lower(lower, at: depth), nil)
        }
        segments += between(equal, self.lower(lower, at: shared), self.upper(upper, at: shared))
        for depth in stride(from: shared + 1, to: high.count, by: 1) {
            segments += between(Array(high.prefix(depth)), nil, self.upper(upper, at: depth))
        }
        return segments
    }

    /// Only the deepest value of a cut can itself belong to the range, because the entries at the values above it
    /// belong to deeper segments.
    private func lower(_ cut: Cut, at depth: Int) -> Segment.Limit? {
        guard depth < cut.values.count else { return nil }
        let isDeepest = depth == cut.values.count - 1
        return Segment.Limit(value: cut.values[depth], isInclusive: isDeepest && !cut.isAfter)
    }

    private func upper(_ cut: Cut, at depth: Int) -> Segment.Limit? {
        guard depth < cut.values.count else { return nil }
        let isDeepest = depth == cut.values.count - 1
        return Segment.Limit(value: cut.values[depth], isInclusive: isDeepest && cut.isAfter)
    }

    /// Returns one segment, or two when the range includes null, which SQL comparisons leave out.
    private func between(_ equal: [PartValue], _ lower: Segment.Limit?, _ upper: Segment.Limit?) -> [Segment]
    {
        let field = collection.fields[parts[equal.count].position]
        let one = Segment(equal: equal, lower: lower, upper: upper)
        guard field.isOptional else { return [one] }
        if let lower, lower.value != .null { return [one] }
        if let lower, !lower.isInclusive {
            let least = Segment.Limit(value: .least(field.type), isInclusive: true)
            return [Segment(equal: equal, lower: least, upper: upper)]
        }
        guard let upper else { return [Segment(equal: equal)] }
        let null = Segment(equal: equal + [.null])
        if upper.value == .null { return upper.isInclusive ? [null] : [] }
        return [null, Segment(equal: equal, upper: upper)]
    }
}
