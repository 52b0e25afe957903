/// One of the things that are compared: a storage with its settings.
package struct Subject: Sendable, Hashable {
    /// What the results call it; no two subjects share a name. Text from outside: a file's name.
    package var name: String
    /// The storage plugin's name.
    package var storage: String
    /// The storage's options, without its path, by name.
    package var settings: [NameAndValue]

    package init(name: String, storage: String, settings: [NameAndValue]) {
        self.name = name
        self.storage = storage
        self.settings = settings
    }
}
