/// A value and its origin.
public struct ConfigurationValue: Sendable, Hashable {
    /// The value as written, without the quotes of a file. In ``Settings``, paths are expanded and secrets read.
    public let text: String
    /// Where the value was set.
    public let origin: Origin

    /// Creates a value without checking it against the type of an option.
    package init(_ text: String, _ origin: Origin) {
        self.text = text
        self.origin = origin
    }

    /// The value for messages: an address is shown without its user name, its password and the secrets in its query.
    package var shownText: String { SecretNames.cleaned(address: text) }

    /// Where a value was set; a later case overrides an earlier one.
    public enum Origin: Sendable, Hashable, CustomStringConvertible {
        /// A program that embeds Patchbay, or a test.
        case code
        /// The default of the option.
        case defaultValue
        /// A line of a configuration file.
        case file(path: String, line: Int)
        /// An environment variable.
        case environment(name: String)
        /// An option of the command line.
        case flag(name: String)

        /// The origin for messages: `PATH:LINE`, `environment NAME`, `option NAME`, `default` or `code`.
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
