import ArgumentParser

/// Options that take numbers. Each takes the next word whatever it is, so that -5 is reported as a number that is too
/// small, not as an unknown option.
///
/// The help shows the limits and the default in the form that the parser uses for choices: (values: ...; default: ...).
extension Option where Value: CommandLineNumber {
    init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp, limits: ClosedRange<Value>
    ) {
        self.init(
            wrappedValue: wrappedValue, name: name, parsing: .unconditional,
            help: help.stating(limits, default: wrappedValue.word), transform: limits.number)
    }
}

extension Option {
    /// Creates an optional number.
    ///
    /// - Parameter standIn: the default in words; nil if there is none.
    init<Number: CommandLineNumber>(
        name: NameSpecification = .long, help: ArgumentHelp, limits: ClosedRange<Number>,
        default value: String? = nil
    ) where Value == Number? {
        self.init(
            name: name, parsing: .unconditional, help: help.stating(limits, default: value),
            transform: limits.number)
    }

    /// Creates an option that takes comma-separated numbers.
    ///
    /// - Parameter value: the default in words.
    init<Number: CommandLineNumber>(
        help: ArgumentHelp, limits: ClosedRange<Number>, default value: String
    ) where Value == CommaList<Number>? {
        self.init(
            parsing: .unconditional, help: help.stating(limits, default: value), transform: limits.numbers)
    }
}

extension NameSpecification {
    /// The number of rows: `-n 20`, `-n20` or `--limit 20`.
    static var limit: NameSpecification { [.customShort("n", allowingJoined: true), .customLong("limit")] }
    /// `-f csv`, `-fcsv` or `--format csv`.
    static var format: NameSpecification { [.customLong("format"), .customShort("f", allowingJoined: true)] }
    /// A file to write: `-o FILE`, `-oFILE` or `--output FILE`.
    static var output: NameSpecification { [.customLong("output"), .customShort("o", allowingJoined: true)] }
}

extension ArgumentHelp {
    fileprivate func stating<Number: CommandLineNumber>(
        _ limits: ClosedRange<Number>, default value: String?
    ) -> ArgumentHelp {
        var help = self
        help.abstract += " (\(limits.words)\(value.map { "; default: \($0)" } ?? ""))"
        return help
    }
}
