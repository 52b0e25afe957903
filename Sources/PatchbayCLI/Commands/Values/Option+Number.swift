import ArgumentParser

/// Options that take numbers. Each takes the word behind it whatever that is: -5 is no option but a number too small.
///
/// The limits and the default stand in the help as the parser writes choices: (values: ...; default: ...).
extension Option where Value: CommandLineNumber {
    init(
        wrappedValue: Value, name: NameSpecification = .long, help: ArgumentHelp, limits: ClosedRange<Value>
    ) {
        self.init(
            wrappedValue: wrappedValue, name: name, parsing: .unconditional,
            help: help.telling(limits, default: wrappedValue.word), transform: limits.number)
    }
}

extension Option {
    /// An option that may be left out.
    ///
    /// - Parameter standIn: what holds then, in a few words; nil when nothing does.
    init<Number: CommandLineNumber>(
        name: NameSpecification = .long, help: ArgumentHelp, limits: ClosedRange<Number>,
        default standIn: String? = nil
    ) where Value == Number? {
        self.init(
            name: name, parsing: .unconditional, help: help.telling(limits, default: standIn),
            transform: limits.number)
    }

    /// An option that takes several numbers, with commas between them.
    init<Number: CommandLineNumber>(
        wrappedValue: Value, help: ArgumentHelp, limits: ClosedRange<Number>
    ) where Value == CommaList<Number> {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional,
            help: help.telling(limits, default: wrappedValue.defaultValueDescription),
            transform: limits.numbers)
    }
}

extension NameSpecification {
    /// How many rows: `-n 20`, `-n20` or `--limit 20`.
    static var limit: NameSpecification { [.customShort("n", allowingJoined: true), .customLong("limit")] }
}

extension ArgumentHelp {
    fileprivate func telling<Number: CommandLineNumber>(
        _ limits: ClosedRange<Number>, default standIn: String?
    ) -> ArgumentHelp {
        var help = self
        help.abstract += " (\(limits.words)\(standIn.map { "; default: \($0)" } ?? ""))"
        return help
    }
}
