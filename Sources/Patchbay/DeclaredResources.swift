import PatchbayCore
public import PatchbayDomain

/// The definition of an API that a program brings along.
public struct BundledDefinition: Sendable {
    /// What a configuration calls it, such as `slack`.
    public let name: String
    public let text: String

    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// The resources that it declares; none when it has a fault.
    var resources: [ResourceDeclaration] {
        Definition.reading(path: name, bytes: Array(text.utf8)).definition?.resources ?? []
    }
}

/// What a configuration's source can list, show or search, as far as definitions say it: known without opening
/// anything.
public struct DeclaredResources: Sendable {
    /// Those of the source that the configuration chooses.
    public var chosen: [ResourceDeclaration]
    /// Those of other bundled definitions whose names are not taken.
    public var others: [ResourceDeclaration]

    public init(chosen: [ResourceDeclaration] = [], others: [ResourceDeclaration] = []) {
        self.chosen = chosen
        var names = Set(chosen.map(\.name))
        self.others = others.filter { resource in
            resource.parent.map { !chosen.map(\.name).contains($0) } ?? true
                && names.insert(resource.name).inserted
        }
    }

    /// - Parameter configuration: nil stands for one that sets nothing.
    /// - Throws: `invalidConfiguration` for a definition with a fault, and what reading its file throws.
    public init(_ configuration: GatewayConfiguration?, plugins: PluginSet) throws {
        let all = plugins.definitions.map { (name: $0.name, resources: $0.resources) }
        let entries = configuration?.configuration.entries ?? []
        let source = entries.first { $0.key == "source" }?.value.text
        let named = entries.first { $0.key == "source.definition" && !$0.value.text.isEmpty }
        let others = all.flatMap(\.resources)
        if let named, let configuration, !all.contains(where: { $0.name == named.value.text }) {
            self.init(chosen: try configuration.resources(ofFile: named), others: others)
        } else {
            let chosen = all.first { $0.name == named?.value.text ?? source } ?? all.first
            self.init(chosen: chosen?.resources ?? [], others: others)
        }
    }
}

extension GatewayConfiguration {
    /// The resources of a definition in a file of its own.
    fileprivate func resources(ofFile entry: Configuration.Entry) throws -> [ResourceDeclaration] {
        let path = try path(entry)
        let bytes = try definitionBytes(path)
        let (definition, faults) = Definition.reading(path: path, bytes: bytes)
        if let fault = faults.first { throw fault }
        return definition?.resources ?? []
    }

    private func definitionBytes(_ path: String) throws(PatchbayError) -> [UInt8] {
        do {
            let bytes = try FileReading.bytes(of: path, bytesMax: ConfigurationFile.bytesMax, .readable)
            if let bytes { return bytes }
        } catch {
            throw PatchbayError(.invalidConfiguration, "the definition \"\(path)\" \(error.words)")
        }
        throw PatchbayError(.invalidConfiguration, "there is no definition \"\(path)\"")
    }
}
