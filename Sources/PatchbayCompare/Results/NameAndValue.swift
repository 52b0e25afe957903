/// A name with its value, such as a version or a setting.
package struct NameAndValue: Sendable, Hashable, Codable {
    package var name = ""
    package var value = ""

    init() {}

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
