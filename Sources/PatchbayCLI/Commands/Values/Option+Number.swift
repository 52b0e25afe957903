import ArgumentParser

/// Options that take numbers. Each takes the word behind it whatever that is: -5 is no option but a number too small.
///
/// The limits and the default stand in the help as the parser writes choices: (values: ...; default: ...).
extension Option where Value: CommandLineNumber {
    init(wrappedValue: Value, help: ArgumentHelp, limits: ClosedRange<Value>) {
        self.init(
            wrappedValue: wrappedValue, parsing: .unconditional,
            help: help.telling(limits, default: wrappedValue.word), transform: limits.number)
    }
}

extension Option {
    /// An option that may be left out.
    ///
    /// - Parameter standIn: what holds then, in a few words; nil when nothing does.
    init<Number: CommandLineNumber>(
        help: ArgumentHelp, limits: ClosedRange<Number>, default standIn: String? = nil
    ) where Value == Number? {
        self.init(
            parsing: .unconditional, help: help.telling(limits, default: standIn), transform: limits.number)
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

extension ArgumentHelp {
    fileprivate func telling<Number: CommandLineNumber>(
        _ limits: ClosedRange<Number>, default standIn: String?
    ) -> ArgumentHelp {
        var help = self
        help.abstract += " (\(limits.words)\(standIn.map { "; default: \($0)" } ?? ""))"
        return help
    }
}
