import ArgumentParser

/// Comma-separated values in one argument.
struct CommaList<Value: LosslessStringConvertible & Sendable>: ExpressibleByArgument, Sendable {
    var values: [Value]

    init(_ values: [Value]) { self.values = values }

    init?(argument: String) {
        values = []
        for word in argument.split(separator: ",") {
            guard let value = Value(String(word)) else { return nil }
            values.append(value)
        }
    }

    var defaultValueDescription: String { values.map(\.description).joined(separator: ",") }
}
