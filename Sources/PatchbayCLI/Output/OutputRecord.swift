/// One thing to print: named values in order.
///
///     OutputRecord([("login", .text("octocat")), ("id", .integer(583231)), ("email", .null)])
///
/// The records of one list have the same names in the same order.
struct OutputRecord: Sendable {
    var fields: [(name: String, value: OutputValue)]

    init(_ fields: [(name: String, value: OutputValue)]) { self.fields = fields }

    var names: [String] { fields.map(\.name) }

    /// The value of a field that the record must have.
    subscript(_ name: String) -> OutputValue {
        guard let field = fields.first(where: { $0.name == name }) else {
            preconditionFailure("the record has no field \"\(name)\"")
        }
        return field.value
    }
}
