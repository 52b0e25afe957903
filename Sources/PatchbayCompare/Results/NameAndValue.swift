/// A name with its value, such as a version or a setting.
package struct NameAndValue: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
