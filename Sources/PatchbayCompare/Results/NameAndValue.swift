/// A name with what belongs to it: a version, a setting.
public struct NameAndValue: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
