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

    /// Nil when it has a fault.
    var definition: Definition? { Definition.reading(path: name, bytes: Array(text.utf8)).definition }
}

/// What a configuration's source can list, show or search, as far as definitions say it: known without opening
/// anything.
public struct DeclaredResources: Sendable {
    /// Whose rows those of ``chosen`` are; nil when there are none.
    public var api: String?
    /// Those of the source that the configuration chooses.
    public var chosen: [ResourceDeclaration]
    /// Those of other bundled definitions whose names are not taken.
    public var others: [ResourceDeclaration]

    public init(
        api: String? = nil, chosen: [ResourceDeclaration] = [], others: [ResourceDeclaration] = []
    ) {
        self.api = api
        self.chosen = chosen
        let known = Set(chosen.map(\.name))
        var names = known
        self.others = others.filter { resource in
            // Its parent would be another resource of that name.
            resource.parent.map { !known.contains($0) } ?? true && names.insert(resource.name).inserted
        }
    }

    /// - Parameter configuration: nil stands for one that sets nothing.
    /// - Throws: `invalidConfiguration` for a definition with a fault, and for a file that cannot be read.
    public init(_ configuration: GatewayConfiguration?, plugins: PluginSet) throws {
        let bundled = plugins.definitions.map { (name: $0.name, definition: $0.definition) }
        let others = bundled.compactMap(\.definition).flatMap(\.resources)
        let entries = configuration?.configuration.entries ?? []
        let named = entries.first { $0.key == "source.definition" && !$0.value.text.isEmpty }
        let name = named?.value.text ?? entries.first { $0.key == "source" }?.value.text
        var definition = (bundled.first { $0.name == name } ?? bundled.first)?.definition
        if let named, let configuration, !bundled.contains(where: { $0.name == name }) {
            definition = try configuration.definition(inFile: named)
        }
        self.init(api: definition?.api, chosen: definition?.resources ?? [], others: others)
    }
}

extension GatewayConfiguration {
    /// A definition in a file of its own.
    fileprivate func definition(inFile entry: Configuration.Entry) throws -> Definition? {
        let path = try path(entry)
        let bytes = try definitionBytes(path)
        let (definition, faults) = Definition.reading(path: path, bytes: bytes)
        if let fault = faults.first { throw fault }
        return definition
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
