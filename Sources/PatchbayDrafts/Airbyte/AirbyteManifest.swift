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
        guard value["streams"] != nil || value["dynamic_streams"] != nil,
            value["type"]?.word == "DeclarativeSource" || value["check"] != nil, value["paths"] == nil
        else { return nil }
        root = value
        source = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        self.reading = reading
    }

    /// The streams, resolved, with those that the connector has on a condition.
    var streams: [Component] {
        let top = Component(value: root, parameters: [:])
        return (root["streams"]?.elements ?? []).map { resolved($0, in: top) }.flatMap { stream in
            stream.type == "ConditionalStreams" ? components("streams", of: stream) : [stream]
        }.map(whole)
    }

    /// The requests for all rows of a stream that requests changes in another way.
    private func whole(_ stream: Component) -> Component {
        guard stream.type == "StateDelegatingStream",
            let all = component("full_refresh_stream", of: stream)
        else { return stream }
        // Its times are for the other way, and do not show the changes of rows.
        let members = all.value.members.filter { $0.name != "incremental_sync" }
        return Component(value: .object(members), parameters: all.parameters)
    }

    /// The stream to whose rows another one belongs; nil when there is none.
    func parent(in configuration: Component) -> Component? {
        component("stream", of: configuration).map(whole)
    }

    /// The limits that the connector sets itself; nil when it has none.
    var budget: Component? { component("api_budget", of: Component(value: root, parameters: [:])) }

    /// The number of groups of streams that the connector makes from answers.
    var dynamicCount: Int { components("dynamic_streams", of: Component(value: root, parameters: [:])).count }

    /// Whether a connector cannot run without this setting.
    ///
    /// - Parameter otherwise: the answer if the manifest does not declare the setting.
    func isRequired(_ setting: String, otherwise: Bool = true) -> Bool {
        guard let specification, specification["properties"]?[setting] != nil else { return otherwise }
        return specification["required"]?.elements.contains { $0.word == setting } ?? false
    }

    /// What a setting is, in the words of the connector: its title and an example.
    func words(about setting: String) -> String? {
        guard let property = specification?["properties"]?[setting], let title = property["title"]?.word,
            !title.isEmpty
        else { return nil }
        let example = property["examples"]?.elements.first?.word
        let words = "\(title)\(example.map { ", such as \($0)" } ?? "")"
        return words.utf8.count <= Self.wordsBytesMax ? words : title
    }

    private static let wordsBytesMax = 100

    /// Whether the connector declares a setting as a secret, at any depth; nil for a text that it does not.
    func isSecret(_ setting: String) -> Bool? {
        var found: Bool?
        func find(_ value: JSONValue) {
            for (name, property) in value["properties"]?.members ?? [] {
                let type = property["type"]?.word ?? "string"
                // A list of names and the like, whatever the connector calls it.
                if name == setting, type != "string" { found = found ?? false }
                if name == setting, type == "string", property["airbyte_secret"]?.isTrue ?? false {
                    found = true
                }
                find(property)
            }
            for choice in value["oneOf"]?.elements ?? [] { find(choice) }
        }
        if let specification { find(specification) }
        return found
    }

    /// The description of the connector's settings.
    private var specification: JSONValue? {
        let spec = root["spec"].map { resolved($0, in: Component(value: root, parameters: [:])).value }
        return spec?["connection_specification"]
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

    /// A component with its references replaced and its parameters applied. Its own parameters override those of the
    /// components around it, and members that have a value override parameters.
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
        for (name, value) in (value["$parameters"] ?? value["$options"])?.members ?? [] {
            parameters[name] = value
        }
        if case .object(let own) = value {
            let given = parameters.filter { name, _ in
                !name.hasPrefix("$") && (value[name]?.isVoid ?? true)
            }
            var members = own.filter { given[$0.name] == nil }.map {
                ($0.name, text(at: $0.value) ?? $0.value)
            }
            for (name, parameter) in given.sorted(by: { $0.key < $1.key }) {
                members.append((name, parameter))
            }
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

    /// The text or number to which a text refers; nil for one that is not such a reference.
    private func text(at value: JSONValue) -> JSONValue? {
        guard value.word != nil, let reference = reference(value) else { return nil }
        let target = target(of: reference)
        return target.word == nil ? nil : target
    }

    /// A component inside another one; nil when there is none.
    func component(_ name: String, of parent: Component) -> Component? {
        guard let value = parent.value[name], !value.isNull else { return nil }
        return resolved(value, in: parent.passing(to: name))
    }

    /// An object of names and values inside a component.
    func object(_ name: String, of parent: Component) -> JSONValue? {
        guard let value = parent.value[name], !value.isNull else { return nil }
        return resolved(value, in: parent, isComponent: false).value
    }

    /// The components in a list, or a single one without a list; a reference may be either.
    func components(_ name: String, of parent: Component) -> [Component] {
        guard let value = object(name, of: parent) else { return [] }
        let all = value.isObject || value.elements.isEmpty && !value.isArray ? [value] : value.elements
        return all.map { resolved($0, in: parent.passing(to: name)) }
    }
}

extension AirbyteManifest.Component {
    /// The component as the parent of its member `name`, to which a parameter of the same name is not passed.
    fileprivate func passing(to name: String) -> Self {
        var parent = self
        parent.parameters[name] = nil
        return parent
    }
}

extension JSONValue {
    var isArray: Bool { if case .array = self { true } else { false } }

    var isTrue: Bool {
        switch self {
        case .bool(let isTrue): isTrue
        case .text(let text): text.lowercased() == "true"
        default: false
        }
    }

    /// Whether a parameter replaces a member with this value.
    fileprivate var isVoid: Bool {
        switch self {
        case .null: true
        case .bool(let isTrue): !isTrue
        case .number(let text): Double(text) == 0
        case .text(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        }
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
