import PatchbayCore
import PatchbayDomain

extension NamedIndex {
    /// Parses a client's text as a value of the index.
    ///
    /// - Throws: `Problem` when the text is of another type.
    func value(_ text: String, at place: Int, of parameter: Parameter) throws(Problem) -> Key {
        let part = parts[place]
        switch part.type {
        case .integer:
            if let number = Parameter.integer(text) { return .integer(number) }
            throw .invalid(parameter.name, "\"\(text)\" is not a whole number; \(part.field) is one")
        case .boolean:
            if ["true", "false"].contains(text) { return .integer(text == "true" ? 1 : 0) }
            throw .invalid(
                parameter.name, "\"\(text)\" is neither true nor false; \(part.field) is a boolean")
        case .time:
            if let time = Timestamp(text) { return .integer(time.milliseconds) }
            throw .invalid(
                parameter.name, "\"\(text)\" is not a time; use one such as 2026-01-14T04:33:35Z")
        case .text, .json, .real:
            return .text(
                part.isFolded ? text.caseFolded.beginning(bytesMax: Resource.foldedBytesMax) : text)
        }
    }
}

extension Resource {
    /// Returns the error for an undeclared index, which explains how to declare it.
    func lacksIndex(_ name: String) -> Problem {
        let known = namedIndexes.map(\.name)
        let field = field(spelled: name.hasPrefix("by_") ? String(name.dropFirst(3)) : name)
        guard let field, field.type != .json, field.type != .real else {
            return .invalid(
                Parameter.by.name,
                "\(plural) have no index \"\(name)\"\(EditDistance.suggestion(for: name, in: known)); "
                    + "known: \(known.joined(separator: ", "))")
        }
        return .invalid(
            Parameter.by.name,
            "\(plural) have no index \"\(name)\"; known: \(known.joined(separator: ", ")); "
                + (index(on: field).map { "use \($0.name)" } ?? declaration(ofIndexOn: field)))
    }

    private func index(on field: ResourceField) -> NamedIndex? {
        namedIndexes.first { $0.parts[0].field == field.name && !$0.parts[0].isFolded }
    }

    /// Returns the error for a parameter named like a field, because rows are found only along indexes. Nil when there
    /// is no such field.
    func needsIndex(on name: String) -> Problem? {
        guard let field = field(spelled: name) else { return nil }
        if let index = index(on: field) {
            return .invalid(name, "there is no such parameter; use by=\(index.name)&equal=VALUE")
        }
        guard field.type != .json, field.type != .real else {
            return .invalid(name, "\(plural) cannot be found by the field \"\(field.name)\"")
        }
        return .invalid(
            name,
            "\(plural) cannot be found by \"\(field.name)\" without an index; \(declaration(ofIndexOn: field))"
        )
    }

    private func declaration(ofIndexOn field: ResourceField) -> String {
        "declare \"\(name).index.by-\(field.name.withHyphens) = "
            + "\(field.name.withHyphens)\" in the definition"
    }
}
