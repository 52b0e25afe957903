import PatchbayJSON

/// A declarative connector of Airbyte. Its components are recognised by their types; no template is evaluated, and no
/// code is read.
struct AirbyteManifest {
    private let root: JSONValue
    private let source: [Substring]
    /// Reads a file with a schema, by its path relative to the manifest; nil for one that is missing or outside.
    let reading: (_ path: String) throws -> [UInt8]?

    /// Nil for a value that is not a manifest.
    ///
    /// - Parameter text: the text of the manifest, to find the lines of what is left out.
    init?(_ value: JSONValue, text: [UInt8], reading: @escaping (_ path: String) throws -> [UInt8]?) {
        guard value["streams"] != nil, value["type"]?.word == "DeclarativeSource" || value["check"] != nil,
            value["paths"] == nil
        else { return nil }
        root = value
        source = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        self.reading = reading
    }

    /// The streams, resolved.
    var streams: [Component] {
        let top = Component(value: root, parameters: [:])
        return (root["streams"]?.elements ?? []).map { resolved($0, in: top) }
    }

    /// The line of a text, as the end of a phrase; empty when it is not found.
    func place(of text: String) -> String {
        let first = text.split(separator: "\n").first ?? ""
        guard first.utf8.count > 3, let line = source.firstIndex(where: { $0.contains(first) }) else {
            return ""
        }
        return " (line \(line + 1))"
    }

    // MARK: References and parameters

    /// A component with the parameters that it passes on to the components in it.
    struct Component {
        var value: JSONValue
        var parameters: [String: JSONValue]

        var type: String { value["type"]?.word ?? "" }
        /// The Python class of a custom component.
        var className: String? { value["class_name"]?.word }
    }

    private static let hopsMax = 50

    /// A component with its references replaced and its parameters applied.
    func resolved(_ value: JSONValue, in parent: Component, isComponent: Bool = true) -> Component {
        var value = value, hops = 0
        while let reference = reference(value), hops < Self.hopsMax {
            hops += 1
            let target = target(of: reference)
            guard case .object(let own) = value, target.isObject else {
                value = target
                continue
            }
            let names = Set(own.map(\.name))
            value = .object(
                target.members.filter { !names.contains($0.name) } + own.filter { $0.name != "$ref" }
                    + (reference == target["$ref"]?.word ? [] : target["$ref"].map { [("$ref", $0)] } ?? []))
        }
        // Only components take parameters, not the objects of names and values in them.
        guard isComponent else { return Component(value: value, parameters: parent.parameters) }
        var parameters = parent.parameters
        for (name, value) in (value["$parameters"] ?? value["$options"])?.members ?? []
        where parameters[name] == nil { parameters[name] = value }
        if case .object(var members) = value {
            for (name, parameter) in parameters.sorted(by: { $0.key < $1.key })
            where value[name] == nil && !name.hasPrefix("$") { members.append((name, parameter)) }
            value = .object(members)
        }
        return Component(value: value, parameters: parameters)
    }

    private func reference(_ value: JSONValue) -> String? {
        if let reference = value["$ref"]?.word { return reference }
        guard let text = value.word, text.hasPrefix("#/") || text.hasPrefix("*ref(") else { return nil }
        return text
    }

    private func target(of reference: String) -> JSONValue {
        let steps =
            reference.hasPrefix("*ref(")
            ? reference.dropFirst(5).dropLast().split(separator: ".").map(String.init)
            : reference.drop { $0 != "/" }.split(separator: "/").map { $0.unescapedFromPath }
        return steps.reduce(Optional(root)) { $0?[step: $1] } ?? .null
    }

    /// A component inside another one; nil when there is none.
    func component(_ name: String, of parent: Component) -> Component? {
        guard let value = parent.value[name], !value.isNull else { return nil }
        return resolved(value, in: parent)
    }

    /// An object of names and values inside a component.
    func object(_ name: String, of parent: Component) -> JSONValue? {
        guard let value = parent.value[name], !value.isNull else { return nil }
        return resolved(value, in: parent, isComponent: false).value
    }

    func components(_ name: String, of parent: Component) -> [Component] {
        guard let value = parent.value[name] else { return [] }
        let all = value.isObject ? [value] : resolved(value, in: parent).value.elements
        return all.map { resolved($0, in: parent) }
    }
}

extension DefinitionDraft {
    /// A definition drafted from a manifest of Airbyte; nil when the text is not one.
    ///
    /// - Parameters:
    ///   - only: the names of the lists to draft, whose parents are drafted as well; all when empty.
    ///   - reading: reads a file with a schema, by its path relative to the manifest's folder; nil for one that does
    ///     not exist or is outside the folder.
    /// - Throws: `invalidValue` when no stream can be expressed, or no list has a name.
    package static func manifest(
        in text: [UInt8], only: [String] = [], name: String, source: String,
        reading: @escaping (_ path: String) throws -> [UInt8]? = { _ in nil }
    ) throws -> DefinitionDraft? {
        // Other descriptions are read only once.
        let marks = ["CheckStream", "DeclarativeSource", "stream_names"]
        guard marks.contains(where: { text.firstRange(of: Array($0.utf8)) != nil }) else { return nil }
        let value = try JSONValue(jsonOrYAML: text, name: source)
        guard let manifest = AirbyteManifest(value, text: text, reading: reading) else { return nil }
        let draft = try AirbyteDraft(manifest, only: only, name: name, source: source)
        return DefinitionDraft(text: draft.text, summary: draft.summary)
    }
}
