/// One thing to print: named values in order.
///
///     OutputRecord([("login", .text("octocat")), ("id", .integer(583231)), ("email", .null)])
///
/// The records of one list have the same names in the same order.
struct OutputRecord: Sendable {
    var fields: [(name: String, value: OutputValue)]
    /// Fields that JSON has as well; the other formats have them when they are asked for by name.
    var more: [(name: String, value: OutputValue)] = []

    init(_ fields: [(name: String, value: OutputValue)]) { self.fields = fields }

    var names: [String] { fields.map(\.name) }

    /// The value of a field that the record must have.
    subscript(_ name: String) -> OutputValue {
        let field = fields.first { $0.name == name } ?? more.first { $0.name == name }
        guard let field else {
            preconditionFailure("the record has no field \"\(name)\"")
        }
        return field.value
    }

    /// The record with these fields alone, in this order; it has them all.
    func choosing(_ names: [String]) -> OutputRecord { OutputRecord(names.map { ($0, self[$0]) }) }
}
