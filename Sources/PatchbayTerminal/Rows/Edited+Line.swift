import Patchbay

extension Edited<Item> {
    /// Returns a message about the result.
    package func line(_ verb: String, _ name: String) -> String {
        let resource = value.resource
        guard let field = resource.field(named: name) else { return value.handle }
        let word = name.withSpaces
        func quoted(_ value: ItemValue?, _ none: String) -> String {
            value.map { "\"\($0.description)\"" } ?? none
        }
        let isUnknown = field.declaration.isDetail && value.state.detailFetchedAt == nil
        let upstream = isUnknown ? "not fetched" : quoted(value[field], "no \(word)")
        let note = value.override(of: field) == nil ? "" : " (upstream: \(upstream))"
        let shown = quoted(value.shown(field), "having no \(word)")
        let subject = resource.editable.count > 1 ? "\(word) of \(value.handle)" : value.handle
        return hasChanged
            ? "\(subject) \(verb) \(shown)\(note)" : "nothing changed; \(subject) is shown as \(shown)\(note)"
    }
}
