import PatchbayCore

/// Puts values into bytes, for a pipe between two processes of one program.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    mutating func put(_ number: Int) { put(UInt64(bitPattern: Int64(number))) }
    mutating func put(_ number: Double) { put(number.bitPattern) }
    mutating func put(_ isTrue: Bool) { bytes.append(isTrue ? 1 : 0) }

    mutating func put(_ text: String) {
        put(text.utf8.count)
        bytes += text.utf8
    }

    mutating func put(_ number: Int?) { put(optional: number) { $0.put($1) } }
    mutating func put(_ text: String?) { put(optional: text) { $0.put($1) } }
    mutating func put(_ number: UInt64?) { put(optional: number) { $0.put($1) } }

    mutating func put<Value>(list: [Value], _ put: (inout WireWriter, Value) -> Void) {
        self.put(list.count)
        for value in list { put(&self, value) }
    }

    private mutating func put<Value>(optional: Value?, _ put: (inout WireWriter, Value) -> Void) {
        self.put(optional != nil)
        if let optional { put(&self, optional) }
    }
}

/// Takes values out of the bytes that ``WireWriter`` made.
struct WireReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        for byte in try take(8).reversed() { number = number << 8 | UInt64(byte) }
        return number
    }

    mutating func integer() throws -> Int { Int(Int64(bitPattern: try number())) }
    mutating func real() throws -> Double { Double(bitPattern: try number()) }
    mutating func bool() throws -> Bool { try take(1).first == 1 }
    mutating func text() throws -> String { String(decoding: try take(try integer()), as: UTF8.self) }

    mutating func optionalInteger() throws -> Int? { try bool() ? integer() : nil }
    mutating func optionalText() throws -> String? { try bool() ? text() : nil }
    mutating func optionalNumber() throws -> UInt64? { try bool() ? number() : nil }

    mutating func list<Value>(_ value: (inout WireReader) throws -> Value) throws -> [Value] {
        let count = try integer()
        // Each value has at least a byte.
        guard (0...bytes.count - place).contains(count) else { throw WireReader.fault }
        var list: [Value] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(try value(&self)) }
        return list
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard (0...bytes.count - place).contains(count) else { throw WireReader.fault }
        defer { place += count }
        return bytes[place..<place + count]
    }

    static let fault = PatchbayError(
        .internalError, "two processes of one comparison do not understand each other")
}
