package import HTTPTypes

// The methods of `HTTPFields` for the same purposes take several times as long.
extension HTTPFields {
    /// Returns the value of a field that is often absent; nil without it.
    package func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }

    /// Appends a field, which is usually the first of its name.
    package mutating func add(_ field: HTTPField) {
        if contains(field.name) { append(field) } else { self[fields: field.name] = [field] }
    }
}
