/// Keys as a writer without white space writes them, each with the comma before it and the colon after it: `,"login":`.
///
/// Use it when the members come in a known order: ``JSONReader/takeKey(_:)`` then finds a key by one comparison.
package struct JSONKeyTexts: Sendable {
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let starts: [Int]

    /// - Parameter names: names without characters that would be escaped.
    package init(_ names: [String]) {
        let texts = names.map { ",\"\($0)\":" }
        bytes = Array(texts.joined().utf8)
        starts = texts.reduce(into: [0]) { $0.append($0.last! + $1.utf8.count) }
    }

    /// The text of a key.
    @inlinable
    package subscript(_ index: Int) -> RawSpan {
        @_lifetime(borrow self) get { bytes.span.bytes.extracting(starts[index]..<starts[index + 1]) }
    }
}
