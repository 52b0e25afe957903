/// Names for the bytes with a meaning in JSON.
@usableFromInline
enum ASCII {
    @usableFromInline static var tab: UInt8 { 0x09 }
    @usableFromInline static var newline: UInt8 { 0x0A }
    @usableFromInline static var carriageReturn: UInt8 { 0x0D }
    @usableFromInline static var space: UInt8 { 0x20 }
    @usableFromInline static var quote: UInt8 { 0x22 }
    @usableFromInline static var plus: UInt8 { 0x2B }
    @usableFromInline static var comma: UInt8 { 0x2C }
    @usableFromInline static var minus: UInt8 { 0x2D }
    @usableFromInline static var point: UInt8 { 0x2E }
    @usableFromInline static var slash: UInt8 { 0x2F }
    @usableFromInline static var zero: UInt8 { 0x30 }
    @usableFromInline static var colon: UInt8 { 0x3A }
    @usableFromInline static var openBracket: UInt8 { 0x5B }
    @usableFromInline static var backslash: UInt8 { 0x5C }
    @usableFromInline static var closeBracket: UInt8 { 0x5D }
    @usableFromInline static var openBrace: UInt8 { 0x7B }
    @usableFromInline static var closeBrace: UInt8 { 0x7D }
}

extension UInt8 {
    /// Whether the byte is one of `0` to `9`.
    @inlinable
    var isDigit: Bool { self &- ASCII.zero < 10 }

    /// The value of a hexadecimal digit in either case, or nil.
    @inlinable
    var hexadecimalValue: UInt32? {
        switch self {
        case 0x30...0x39: UInt32(self) - 0x30
        case 0x41...0x46: UInt32(self) - 0x41 + 10
        case 0x61...0x66: UInt32(self) - 0x61 + 10
        default: nil
        }
    }
}
