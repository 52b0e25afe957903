package import HTTPTypes

extension HTTPFields {
    /// Returns the value of a field; nil without it. The subscript takes several times as long for an absent field.
    package func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }
}
