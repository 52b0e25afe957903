import PatchbayCore
import Synchronization

/// The object identifiers of built-in types, which never change.
enum ServerType {
    static let boolean: UInt32 = 16
    static let bytes: UInt32 = 17
    static let integer: UInt32 = 20
    static let text: UInt32 = 25
    static let real: UInt32 = 701
    static let integers: UInt32 = 1016
    static let texts: UInt32 = 1009
    static let manyBytes: UInt32 = 1001
    static let reals: UInt32 = 1022
    static let uuid: UInt32 = 2950
}

/// An SQL statement with the types of its parameters, which may be sent many times.
final class Statement: Sendable {
    let sql: String
    let types: [UInt32]
    /// The number under which connections prepare it; nil for a statement that is not worth preparing.
    let number: Int?
    let name: String

    private static let lastNumber = Atomic(0)

    /// - Parameter isKept: whether connections prepare the statement and keep its plan.
    init(_ sql: String, _ types: [UInt32] = [], isKept: Bool = true) {
        self.sql = sql
        self.types = types
        number = isKept ? Self.lastNumber.add(1, ordering: .relaxed).newValue : nil
        name = number.map { "p\($0)" } ?? ""
    }
}

/// The values of a statement's parameters in binary form; none of them is null.
struct Arguments {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    init() {}

    /// Creates the value of a single parameter.
    init(_ value: some FixedWidthInteger) { append(value) }
    init(_ value: Bool) { append(value) }
    init(_ text: String) { append(text) }

    mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    mutating func append(_ value: Bool) {
        bytes.append(value ? 1 : 0)
        ends.append(bytes.count)
    }

    mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        ends.append(bytes.count)
    }

    mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
        ends.append(bytes.count)
    }

    /// Passes the values to `body` in the form that libpq expects.
    func withValues<Result>(
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe $0.withValues(endingAt: ends, body) }
    }
}

extension UnsafeRawBufferPointer {
    /// Passes values that follow one another in these bytes to `body` in the form that libpq expects: their addresses,
    /// of which a nil one is null, and their lengths.
    func withValues<Result>(
        endingAt ends: [Int], nulls: FieldSet = [],
        _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>, UnsafeBufferPointer<Int32>) -> Result
    ) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: ends.count) { values in
            unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: ends.count) { lengths in
                var start = 0
                for (place, end) in ends.enumerated() {
                    // An empty value needs an address too, or libpq would send null.
                    let address = unsafe (baseAddress ?? UnsafeRawPointer(lengths.baseAddress!)) + start
                    unsafe values.initializeElement(
                        at: place,
                        to: nulls.contains(position: place)
                            ? nil : address.assumingMemoryBound(to: CChar.self))
                    unsafe lengths.initializeElement(at: place, to: Int32(end - start))
                    start = end
                }
                return unsafe body(UnsafeBufferPointer(values), UnsafeBufferPointer(lengths))
            }
        }
    }
}
