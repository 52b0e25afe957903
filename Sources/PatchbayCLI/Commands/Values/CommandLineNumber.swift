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
