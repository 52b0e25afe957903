private import CPlatform

extension Growth {
    /// The natural logarithm.
    static func logarithm(_ number: Double) -> Double { log(number) }
}

extension Spread {
    /// The geometric mean of positive numbers; 1 without any.
    static func geometricMean(_ numbers: [Double]) -> Double {
        guard !numbers.isEmpty else { return 1 }
        return exp(numbers.reduce(0) { $0 + log($1) } / Double(numbers.count))
    }
}
