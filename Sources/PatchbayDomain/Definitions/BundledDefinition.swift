import PatchbayCore
import Synchronization

/// The definition of an API that is part of a program. It is read once, when it is first needed.
public final class BundledDefinition: Sendable {
    /// The value of `source` in a configuration, such as `slack`.
    public let name: String
    /// Whether the definition has settings, which is known before it is read.
    package let hasSettings: Bool
    private let bytes: @Sendable () -> [UInt8]
    private let read = Mutex<Definition?>(nil)

    /// Creates the definition of a source that is written in Swift, from the text of a definition file.
    ///
    /// A fault in the text is a programming error: it ends the program, with a message for each fault, when the
    /// definition is first needed.
    public convenience init(_ name: String, text: String) {
        self.init(name, hasSettings: text.contains("\nsetting."), Array(text.utf8))
    }

    /// - Parameter bytes: the text of the definition in UTF-8.
    package init(
        _ name: String, hasSettings: Bool = false, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8]
    ) {
        self.name = name
        self.hasSettings = hasSettings
        self.bytes = bytes
    }

    /// The hosts that serve the API. The line of a definition that names them is found without reading the others,
    /// because each start of a command with a recording compares its host with those of all bundled definitions.
    package var hosts: [String] {
        ConfigurationFile.value(of: "hosts", in: bytes()).map(DefinitionWords.split) ?? definition.hosts
    }

    /// The definition's file as written.
    package var text: String { String(decoding: bytes(), as: UTF8.self) }

    /// Returns a resource of the definition, for tests of a feed. Resources are equal only to themselves, so with a
    /// gateway use those that it has.
    ///
    /// - Throws: `notFound` when it has none of that name.
    public func resource(_ name: String) throws -> Resource {
        guard let declaration = definition.resource(named: name) else {
            throw PatchbayError(.notFound, "the definition \(self.name) has no resource \"\(name)\"")
        }
        return try Resource(declaration, api: definition.api)
    }

    /// The definition. A fault in it is a programming error, which a test finds.
    package var definition: Definition {
        read.withLock { known in
            if let known { return known }
            let (definition, faults) = Definition.reading(path: name + ".conf", bytes: bytes())
            guard let definition else { fatalError("\(name).conf: \(faults.map(\.description))") }
            known = definition
            return definition
        }
    }
}
