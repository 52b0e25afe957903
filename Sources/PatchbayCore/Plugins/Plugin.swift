/// A named choice in the configuration, such as a storage or a source.
///
/// A plugin is a value: a name, its options, and a function that opens it. The registry of plugins is a value too, so a
/// program decides which plugins it has.
public struct Plugin<Product: Sendable>: Sendable {
    /// The name in the configuration: `storage = sqlite`.
    public let name: String
    /// One line for `patchbay plugins list`.
    public var summary: String { summarize() }
    /// The options in the order in which help lists them.
    package let options: [PluginOption]
    /// Creates the product from checked settings. A storage that it returns is not open yet.
    public let open: @Sendable (Settings) async throws -> Product
    private let summarize: @Sendable () -> String

    /// - Parameter summary: evaluated when plugins are listed.
    public init(
        _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
        options: [PluginOption] = [],
        open: @escaping @Sendable (Settings) async throws -> Product
    ) {
        self.name = name
        summarize = summary
        self.options = options
        self.open = open
    }
}

/// An option of a plugin, without the plugin's kind: `path` for `storage.path`.
public struct PluginOption: Sendable {
    /// The key without the plugin's kind.
    package let key: String
    /// The type that every value must match.
    package let type: OptionType
    /// The value when nothing is set; nil for an option that may be absent.
    package var defaultValue: String? { makeDefault() }
    /// One phrase that describes the option, with its unit.
    package let help: String
    private let makeDefault: @Sendable () -> String?

    /// - Parameter defaultValue: evaluated when the plugin is chosen or described.
    public init(
        _ key: String, _ type: OptionType,
        default defaultValue: @autoclosure @escaping @Sendable () -> String? = nil, _ help: String
    ) {
        self.key = key
        self.type = type
        makeDefault = defaultValue
        self.help = help
    }
}

/// The type of an option's value.
public enum OptionType: Sendable, Hashable {
    /// Any text that is not empty.
    case text
    /// A name that separates stored data from everything else on the same server, as a path does on a disk. A
    /// comparison sets its own, so that it never opens existing data.
    case space
    /// A file or folder. `~` and `${NAME}` are replaced; a relative path is resolved against the configuration file's
    /// folder.
    case path
    /// A name, or a ``path``, which contains a slash or a dot.
    case nameOrPath
    /// A whole number in this range.
    case integer(ClosedRange<Int>)
    /// `true` or `false`.
    case boolean
    /// One of these words.
    case choice([String])
    /// A prefix of names in a storage: at most 32 lower-case letters, digits and underscores, beginning with a letter.
    case word
    /// `env:NAME`, `file:PATH` or `command:PROGRAM ARGUMENTS`; the secret itself is never in a configuration.
    case secret

    /// Returns why `value` is not valid for this type, or nil.
    package func fault(in value: String) -> String? {
        switch self {
        case .text, .space, .path, .nameOrPath: value.isEmpty ? "must not be empty" : nil
        case .integer(let range):
            if let number = Int(value), range.contains(number) {
                nil
            } else {
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            }
        case .boolean: value == "true" || value == "false" ? nil : "must be true or false"
        case .choice(let words): words.contains(value) ? nil : "must be \(words.joined(separator: ", "))"
        case .word:
            OptionType.isWord(value)
                ? nil : "must be a-z, 0-9 and _, begin with a letter, and have at most 32 of them"
        case .secret:
            ["env:", "file:", "command:"].contains { value.hasPrefix($0) }
                ? nil
                : "must be env:NAME, file:PATH or command:PROGRAM; a configuration must not contain the secret itself"
        }
    }

    /// The name of the type in help and documentation.
    package var word: String {
        switch self {
        case .text: "text"
        case .space: "name"
        case .path: "path"
        case .nameOrPath: "name | path"
        case .integer(let range): "number \(range.lowerBound)...\(range.upperBound)"
        case .boolean: "true | false"
        case .choice(let words): words.joined(separator: " | ")
        case .word: "word"
        case .secret: "secret"
        }
    }

    /// Whether a value of this type is a path, whose variables are replaced.
    package func isPath(_ value: String) -> Bool {
        switch self {
        case .path: true
        case .nameOrPath: value.contains { "/.~$".contains($0) }
        default: false
        }
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.count <= 32 && Field.isName(text)
    }
}

/// The plugins of one kind in a program.
package struct Registry<Product: Sendable>: Sendable {
    /// The kind of the plugins, and the first word of their keys: `storage`, `source`.
    package let kind: String
    /// In the order given.
    package let plugins: [Plugin<Product>]

    /// Creates a registry. Two plugins of one name are a programming error.
    package init(_ kind: String, _ plugins: [Plugin<Product>]) {
        precondition(Set(plugins.map(\.name)).count == plugins.count, "two \(kind) plugins of one name")
        self.kind = kind
        self.plugins = plugins
    }

    /// - Throws: `invalidConfiguration` with the names of all plugins of the kind.
    package func plugin(named name: String) throws -> Plugin<Product> {
        if let plugin = plugins.first(where: { $0.name == name }) { return plugin }
        throw PatchbayError(
            .invalidConfiguration, EditDistance.unknown(kind, name, in: plugins.map(\.name)))
    }
}
