/// Keys as a writer without white space writes them, each with the comma before it and the colon after it: `,"login":`.
///
/// Use it when the members come in a known order: ``JSONReader/takeKey(_:)`` then finds a key by one comparison.
@usableFromInline
package struct JSONKeyTexts: Sendable {
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let starts: [Int]

    /// - Parameter names: names without characters that would be escaped.
    package init(_ names: [String]) {
        var bytes: [UInt8] = [], starts = [0]
        bytes.reserveCapacity(names.reduce(0) { $0 + $1.utf8.count + 4 })
        starts.reserveCapacity(names.count + 1)
        for name in names {
            bytes.append(ASCII.comma)
            bytes.append(ASCII.quote)
            bytes.append(contentsOf: name.utf8)
            bytes.append(ASCII.quote)
            bytes.append(ASCII.colon)
            starts.append(bytes.count)
        }
        self.bytes = bytes
        self.starts = starts
    }

    /// The text of a key.
    @inlinable
    package subscript(_ index: Int) -> RawSpan {
        @_lifetime(borrow self) get { bytes.span.bytes.extracting(starts[index]..<starts[index + 1]) }
    }
}
