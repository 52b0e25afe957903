package import PatchbayGateway

/// A column of a table: its value, and how it shrinks on a narrow terminal.
package struct TableColumn: Sendable {
    package enum Alignment: Sendable { case left, right }

    /// The heading, which the table prints in upper case.
    package let title: String
    package let alignment: Alignment
    /// Whether values may be cut if the terminal is too narrow; false for numbers and keys.
    package let isElastic: Bool
    /// Whether values are wrapped instead of cut, for values that people need to see in full.
    package let wraps: Bool
    package let value: @Sendable (OutputRecord) -> String
    /// Returns the role of the value in a row with these texts.
    package var role: @Sendable ([String]) -> Paint.Role? = { _ in nil }

    package init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        value: @escaping @Sendable (OutputRecord) -> String
    ) {
        self.title = title
        self.alignment = alignment
        self.isElastic = isElastic || wraps
        self.wraps = wraps
        self.value = value
    }

    /// Creates a column that shows one field, by default the one named like the column.
    package init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        field: String? = nil
    ) {
        let name = field ?? title
        self.init(title, alignment: alignment, isElastic: isElastic, wraps: wraps) { $0[name].description }
    }
}
