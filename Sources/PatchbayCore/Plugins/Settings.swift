/// The values of one plugin's options, checked against their types.
public struct Settings: Sendable {
    private let kind: String
    private let values: [String: ConfigurationValue]
    private let secretKeys: Set<String>
    /// Reads a secret again from its source when its value was refused; nil for settings in code.
    package var readAgain: (@Sendable (_ key: String) async throws -> String)?

    /// - Parameter kind: the word before the key in messages, `storage` in `storage.path`.
    /// - Parameter secretKeys: the options whose values must not appear in messages.
    package init(_ kind: String, _ values: [String: ConfigurationValue], secretKeys: Set<String> = []) {
        self.kind = kind
        self.values = values
        self.secretKeys = secretKeys
    }

    /// Settings written in code, for tests and embedding.
    public init(_ kind: String = "storage", _ values: [String: String] = [:]) {
        self.init(kind, values.mapValues { ConfigurationValue($0, .code) })
    }

    /// The options that have a value, in alphabetical order.
    package var keys: [String] { values.keys.sorted() }

    /// The value of an option, which may be its default; nil when it has none.
    public func text(_ key: String) -> String? { values[key]?.text }

    /// - Throws: `invalidConfiguration` when the option is not set.
    public func requiredText(_ key: String) throws -> String {
        guard let value = values[key] else {
            throw PatchbayError(.invalidConfiguration, "\(kind).\(key) is required; set it")
        }
        return value.text
    }

    /// The number of an option; nil when it has no value.
    ///
    /// - Throws: `invalidConfiguration` when the value is not a whole number; the range is not checked.
    public func integer(_ key: String) throws -> Int? {
        try values[key].map { value in
            guard let number = Int(value.text) else { throw error(key, "must be a whole number") }
            return number
        }
    }

    /// The truth value of an option; nil when it has no value.
    ///
    /// - Throws: `invalidConfiguration` when the value is neither `true` nor `false`.
    public func boolean(_ key: String) throws -> Bool? {
        try values[key].map { value in
            guard value.text == "true" || value.text == "false" else {
                throw error(key, "must be true or false")
            }
            return value.text == "true"
        }
    }

    /// The option `durability`; `full` when it is not set.
    public func durability() throws -> Durability {
        guard let value = values["durability"] else { return .full }
        guard let durability = Durability(rawValue: value.text) else {
            throw error("durability", "must be full, normal, off")
        }
        return durability
    }

    /// An error about an option, with its value unless it is a secret, and where that value was set.
    public func error(
        _ key: String, _ problem: String, code: PatchbayError.Code = .invalidConfiguration,
        cause: (any Error)? = nil
    ) -> PatchbayError {
        guard let value = values[key] else {
            return PatchbayError(code, "\(kind).\(key): \(problem)", cause: cause)
        }
        let shown = secretKeys.contains(key) ? "" : " = \"\(value.shownText)\""
        return PatchbayError(
            code, "\(kind).\(key)\(shown): \(problem)", [.at(value.origin)],
            cause: cause)
    }
}

extension PluginOption {
    /// The option that every durable storage has.
    public static let durability = PluginOption(
        "durability", .choice(Durability.allCases.map(\.rawValue)), default: Durability.full.rawValue,
        "what a committed write survives: full (a power cut), normal (the end of the process), "
            + "off (the same, but a power cut may damage the storage)"
    )
}
