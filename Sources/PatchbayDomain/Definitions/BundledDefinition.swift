import PatchbayCore
import Synchronization

/// The definition of an API that is part of a program. It is read once, when it is first needed.
public final class BundledDefinition: Sendable {
    /// The value of `source` in a configuration, such as `slack`.
    public let name: String
    private let bytes: @Sendable () -> [UInt8]
    private let read = Mutex<Definition?>(nil)

    /// - Parameter bytes: the text of the definition in UTF-8.
    public init(_ name: String, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The definition's file as written.
    public var text: String { String(decoding: bytes(), as: UTF8.self) }

    /// The definition. A fault in it is a programming error, which a test finds.
    public var definition: Definition {
        read.withLock { known in
            if let known { return known }
            let (definition, faults) = Definition.reading(path: name + ".conf", bytes: bytes())
            guard let definition else { preconditionFailure("\(name).conf: \(faults.map(\.description))") }
            known = definition
            return definition
        }
    }
}
