/// A fixed set of member names in which keys are looked up by their bytes, without allocation.
///
/// Use it when the wanted members are known only at run time. It is a hash table of a name's length and its first and
/// last bytes, so most unwanted keys cost one comparison.
package struct JSONKeys: Sendable {
    @usableFromInline struct Slot: Sendable {
        @usableFromInline var hash: UInt64
        /// -1 for an empty slot.
        @usableFromInline var index: Int
    }

    @usableFromInline let slots: [Slot]
    @usableFromInline let mask: Int
    private let names: [[UInt8]]

    /// - Parameter names: distinct names; the position of a name is its index.
    package init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        var capacity = 4
        while capacity < names.count * 4 { capacity *= 2 }
        mask = capacity - 1
        var slots = [Slot](repeating: Slot(hash: 0, index: -1), count: capacity)
        for (index, name) in self.names.enumerated() {
            let hash = JSONKeys.hash(name.span.bytes)
            var place = JSONKeys.place(hash) & mask
            while slots[place].index >= 0 { place = (place + 1) & mask }
            slots[place] = Slot(hash: hash, index: index)
        }
        self.slots = slots
    }

    /// The index of a key among the names; nil for another key.
    package func index(of key: borrowing JSONText) -> Int? {
        if key.hasEscapes { return indexOfEscaped(key) }
        return index(of: key.bytes)
    }

    @inline(__always)
    private func index(of bytes: RawSpan) -> Int? {
        let hash = JSONKeys.hash(bytes)
        var place = JSONKeys.place(hash) & mask
        while true {
            let slot = slots[place]
            if slot.index < 0 { return nil }
            if slot.hash == hash, bytes.equals(names[slot.index]) { return slot.index }
            place = (place + 1) & mask
        }
    }

    @inline(never)
    private func indexOfEscaped(_ key: borrowing JSONText) -> Int? {
        var name: [UInt8] = []
        key.append(to: &name)
        return index(of: name.span.bytes)
    }

    /// The hash of the length and up to sixteen bytes; equal names have equal hashes.
    @inline(__always)
    private static func hash(_ bytes: RawSpan) -> UInt64 {
        let count = bytes.byteCount
        let first = bytes.paddedWord(at: 0)
        let last = count > 8 ? bytes.word(at: count - 8) : 0
        return (first ^ (last &* 0x9E37_79B9_7F4A_7C15)) &+ UInt64(truncatingIfNeeded: count)
    }

    @inline(__always)
    private static func place(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}

extension RawSpan {
    /// Whether the bytes equal a name.
    @inline(__always)
    fileprivate func equals(_ name: [UInt8]) -> Bool {
        let other = name.span.bytes
        guard byteCount == other.byteCount else { return false }
        var at = 0
        while at + 8 <= byteCount {
            guard word(at: at) == other.word(at: at) else { return false }
            at += 8
        }
        return paddedWord(at: at) == other.paddedWord(at: at)
    }
}

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
