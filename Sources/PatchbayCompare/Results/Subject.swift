/// One of the things that are compared: a storage with its settings.
public struct Subject: Sendable, Hashable {
    /// What the results call it; no two subjects share a name. Text from outside: a file's name.
    public var name: String
    /// The storage plugin's name.
    public var storage: String
    /// The storage's options, without its path, by name.
    public var settings: [NameAndValue]

    public init(name: String, storage: String, settings: [NameAndValue]) {
        self.name = name
        self.storage = storage
        self.settings = settings
    }
}
