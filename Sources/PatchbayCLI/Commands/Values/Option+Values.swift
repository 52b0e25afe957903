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

extension ClosedRange where Bound: CommandLineNumber {
    /// The limits in words: `from 1 to 100`, `at least 0`.
    var words: String {
        upperBound == .greatest
            ? "at least \(lowerBound.word)" : "from \(lowerBound.word) to \(upperBound.word)"
    }

    /// Parses a number from a word of the command line.
    ///
    /// - Throws: `ValidationError` with the numbers that are allowed; the parser names the option and the word.
    @Sendable func number(_ word: String) throws -> Bound {
        guard let number = Bound(word), contains(number) else {
            throw ValidationError("expected a \(Bound.noun), \(words)")
        }
        return number
    }

    /// Parses comma-separated numbers from a word of the command line.
    ///
    /// - Throws: `ValidationError` as ``number(_:)`` does, and for an empty list.
    @Sendable func numbers(_ word: String) throws -> CommaList<Bound> {
        let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let numbers = parts.compactMap(Bound.init).filter(contains)
        guard numbers.count == parts.count else {
            throw ValidationError("expected a \(Bound.noun), \(words), or a comma-separated list")
        }
        return CommaList(numbers)
    }
}

/// A number that an option takes.
protocol CommandLineNumber: Comparable, LosslessStringConvertible, Sendable {
    /// The noun in messages.
    static var noun: String { get }
    /// The greatest value; a range that ends with it has no upper limit.
    static var greatest: Self { get }
    /// The number as people write it.
    var word: String { get }
}

extension CommandLineNumber where Self: FixedWidthInteger {
    static var noun: String { "whole number" }
    static var greatest: Self { .max }
    var word: String { description }
}

extension Int: CommandLineNumber {}
extension Int64: CommandLineNumber {}
extension UInt64: CommandLineNumber {}

extension Double: CommandLineNumber {
    static var noun: String { "number" }
    static var greatest: Double { .infinity }
    var word: String { Int64(exactly: self).map(String.init) ?? description }
}

extension Option {
    /// Creates an option whose values are the cases of a type that the parser does not know. Help and completions list
    /// them as for other choices.
    ///
    /// - Parameter standIn: the default in words; nil if there is none.
    init<Choice: CaseIterable & RawRepresentable & Sendable>(
        name: NameSpecification = .long, help: ArgumentHelp, choices: Choice.Type,
        default placeholder: String? = nil
    ) where Value == Choice?, Choice.RawValue == String {
        let words = choices.allCases.map(\.rawValue)
        var help = help
        help.abstract +=
            " (values: \(words.joined(separator: ", "))\(placeholder.map { "; default: \($0)" } ?? ""))"
        self.init(name: name, help: help, completion: .list(words)) { word in
            guard let choice = Choice(rawValue: word) else {
                throw ValidationError("choose one of \(words.joined(separator: ", "))")
            }
            return choice
        }
    }
}
