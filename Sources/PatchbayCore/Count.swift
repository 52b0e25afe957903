/// A count with its noun.
package enum Count {
    /// - Parameter many: the plural of the noun; nil for one that ends in s.
    package static func words(_ count: some BinaryInteger, _ noun: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : many ?? noun + "s")"
    }
}
