import ArgumentParser

/// Options and arguments that depend on a definition.
///
/// The parser finds the options of a type through its mirror and reads their values through a decoder. A type with a
/// custom mirror can therefore have as many options as a definition declares.
protocol DeclaredArguments: ParsableArguments, CustomReflectable {
    /// The options with their coding keys.
    static var declared: [(word: String, option: Any)] { get }
}

extension DeclaredArguments {
    var customMirror: Mirror {
        Mirror(self, children: Self.declared.map { (label: $0.word as String?, value: $0.option) })
    }
}

/// The coding key of a declared option.
struct OptionWord: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ word: String) { stringValue = word }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}

/// Options that make sense only for some definitions.
protocol ConditionalOptions: ParsableArguments {
    /// Whether the command has these options.
    static var areMeaningful: Bool { get }
}

/// Options that a command has only if they are meaningful.
struct WhenMeaningful<Options: ConditionalOptions>: DeclaredArguments {
    /// The parsed options; nil when they are not meaningful.
    private(set) var options: Options?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        guard Options.areMeaningful else { return }
        options = try container.decode(OptionGroup<Options>.self, forKey: OptionWord("options")).wrappedValue
    }

    static var declared: [(word: String, option: Any)] {
        Options.areMeaningful ? [("options", OptionGroup<Options>())] : []
    }
}

extension WhenMeaningful: Sendable where Options: Sendable {}
