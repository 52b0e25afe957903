import PatchbayGateway

/// A table's column: which value it shows, and how it gives way on a narrow terminal.
struct TableColumn: Sendable {
    enum Alignment: Sendable { case left, right }

    /// What stands above the column; the table writes it in upper case.
    let title: String
    let alignment: Alignment
    /// Whether values may be cut when the terminal is too narrow. Numbers and keys should not be.
    let isElastic: Bool
    /// Whether values go on in the next line in place of being cut: where people want all of them.
    let wraps: Bool
    let value: @Sendable (OutputRecord) -> String
    /// How a value of a row with these texts is painted.
    var role: @Sendable ([String]) -> Paint.Role? = { _ in nil }

    init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        value: @escaping @Sendable (OutputRecord) -> String
    ) {
        self.title = title
        self.alignment = alignment
        self.isElastic = isElastic || wraps
        self.wraps = wraps
        self.value = value
    }

    /// A column that shows one field; the field named like the column, unless another is given.
    init(
        _ title: String, alignment: Alignment = .left, isElastic: Bool = false, wraps: Bool = false,
        field: String? = nil
    ) {
        let name = field ?? title
        self.init(title, alignment: alignment, isElastic: isElastic, wraps: wraps) { $0[name].description }
    }
}
