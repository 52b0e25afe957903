/// A value and its origin.
public struct ConfigurationValue: Sendable, Hashable {
    public let text: String
    public let origin: Origin

    public init(_ text: String, _ origin: Origin) {
        self.text = text
        self.origin = origin
    }

    /// The value for messages: an address is shown without its user name, its password and the secrets in its query.
    public var shownText: String { SecretNames.cleaned(address: text) }

    /// Where a value was set; a later case overrides an earlier one.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        case code
        case defaultValue
        case file(path: String, line: Int)
        case environment(name: String)
        case flag(name: String)

        public var description: String {
            switch self {
            case .code: "code"
            case .defaultValue: "default"
            case .file(let path, let line): "\(path):\(line)"
            case .environment(let name): "environment \(name)"
            case .flag(let name): "option \(name)"
            }
        }
    }
}
