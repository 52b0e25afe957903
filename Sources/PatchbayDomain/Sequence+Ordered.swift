extension Sequence {
    /// The elements in ascending order of their numbers, of which earlier ones matter more. Elements with the same
    /// numbers keep their order.
    package func ordered(by numbers: (Element) -> [Int]) -> [Element] {
        enumerated().map { (numbers: numbers($0.element) + [$0.offset], element: $0.element) }
            .sorted { $0.numbers.lexicographicallyPrecedes($1.numbers) }.map(\.element)
    }
}
