/// A compared storage with its settings.
package struct Subject: Sendable, Hashable, Codable {
    /// The unique name in the results; may be the name of a configuration file, which is untrusted text.
    package var name: String
    /// The storage plugin's name.
    package var storage: String
    /// The storage's options without its path.
    package var settings: [NameAndValue]

    package init(name: String, storage: String, settings: [NameAndValue]) {
        self.name = name
        self.storage = storage
        self.settings = settings
    }
}

/// A name with its value, such as a version or a setting.
package struct NameAndValue: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
