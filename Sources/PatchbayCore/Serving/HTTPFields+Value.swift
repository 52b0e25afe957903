package import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field that is often absent, for which the subscript takes twice as long.
    package func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }
}
