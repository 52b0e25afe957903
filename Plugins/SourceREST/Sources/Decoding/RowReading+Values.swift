import PatchbayCore
import PatchbayDomain
import PatchbayJSON

extension RowReading {
    /// Reads a value at which paths end, through which they lead, or both.
    mutating func readValue(_ tree: PathTree, _ reader: inout JSONReader) throws {
        if tree.leaves.count == 1, !tree.isInner { return try readLeaf(tree.leaves[0], &reader) }
        if tree.leaves.isEmpty { return try readInner(tree, &reader) }
        // Several paths need the value, so each one reads it separately.
        _ = try reader.peek()
        let start = reader.offset
        try reader.skipValue()
        let body = body, outer = base
        let value = body.span.bytes.extracting(base + start..<base + reader.offset)
        base += start
        defer { base = outer }
        for leaf in tree.leaves {
            var again = JSONReader(value)
            try readLeaf(leaf, &again)
        }
        if tree.isInner {
            var again = JSONReader(value)
            try readInner(tree, &again)
        }
    }

    private mutating func readInner(_ tree: PathTree, _ reader: inout JSONReader) throws {
        switch try reader.peek() {
        case .object where tree.isInner:
            if let each = tree.each { begin(each) }
            try readMembers(tree, &reader)
        case .array where tree.each != nil || !tree.elements.isEmpty:
            if let each = tree.each { begin(each) }
            try readElements(tree, &reader)
        case let kind:
            let start = reader.offset
            try reader.skipValue()
            // A value of another type lacks members; paths that end here have it. PHP writes `[]` for an empty object.
            let isEmpty = kind == .null || body[base + start..<base + reader.offset].isEmptyArray
            for number in tree.all where !tree.leaves.contains(number) {
                setNull(shape.targets[number])
                if !isEmpty, !shape.targets[number].isMany { emptied[number, default: 0] += 1 }
            }
        }
    }

    /// Reads the members of an object.
    ///
    /// - Parameter ofRow: whether they are those of a row, of which the unread ones are noted.
    mutating func readMembers(_ tree: PathTree, _ reader: inout JSONReader, ofRow: Bool = false) throws {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                if let child = tree.keys.index(of: key) {
                    try readValue(tree.children[child], &reader)
                } else if let each = tree.each {
                    try readValue(each, &reader)
                } else {
                    if ofRow { unread.note(key.bytes) }
                    try reader.skipValue()
                }
            } catch {
                throw RowFault(error).inMember(key.string())
            }
        }
    }

    /// Reads the elements of an array.
    mutating func readElements(_ tree: PathTree, _ reader: inout JSONReader) throws {
        var at = 0
        try reader.beginArray()
        while try reader.nextElement() {
            do {
                if let child = tree.elements[at] ?? tree.each {
                    try readValue(child, &reader)
                } else {
                    try reader.skipValue()
                }
            } catch {
                throw RowFault(error).inMember("\(at)")
            }
            at += 1
        }
    }

    /// Records that a collection exists, even if it is empty.
    private mutating func begin(_ tree: PathTree) {
        for number in tree.all where collected[number] == nil { collected[number] = [] }
    }

    private mutating func setNull(_ target: RowShape.Target) {
        guard shape.required & (1 << UInt64(target.place)) == 0, !target.isMany else { return }
        seen |= 1 << UInt64(target.place)
        builder.setNull(place: target.place, position: target.position)
    }

    private mutating func readLeaf(_ number: Int, _ reader: inout JSONReader) throws {
        let isNull = try reader.peek() == .null
        let start = reader.offset
        do {
            if isNull, isKeyOfListRow(number) {
                _ = try reader.readNull()
                if keyFault == nil { keyFault = absent(shape.targets[number]) }
                seen |= 1 << UInt64(number)
            } else if isNull, shape.required & (1 << UInt64(number)) == 0 {
                _ = try reader.readNull()
                setNull(shape.targets[number])
            } else if shape.many & (1 << UInt64(number)) != 0 {
                try collect(number, &reader)
            } else {
                try read(
                    shape.targets[number].type, number, position: shape.targets[number].position, &reader)
                seen |= 1 << UInt64(number)
            }
        } catch {
            let target = shape.targets[number]
            guard target.isLenient else { throw fault(error, target, at: start) }
            if reader.offset == start { try reader.skipValue() } else { try checkValue(at: start) }
            setNull(target)
            let isEmptyText = body[base + start..<base + reader.offset].elementsEqual("\"\"".utf8)
            if !isEmptyText { emptied[number, default: 0] += 1 }
        }
    }

    /// Throws if the value at an offset of the current reader is not JSON, for example because it is not UTF-8.
    private func checkValue(at start: Int) throws {
        var reader = JSONReader(body.span.bytes.extracting((base + start)...))
        try reader.skipValue()
    }

    private mutating func read(
        _ type: ValueType, _ number: Int, position: Int, _ reader: inout JSONReader
    ) throws {
        switch type {
        case .text where try isNumericID(number, &reader):
            try readDigits(number, position, &reader)
        case .text: try readText(number, position, &reader)
        case .integer:
            let value =
                try reader.peek() == .string
                ? RowReading.integer(ofText: &reader, isID: shape.ids & (1 << UInt64(number)) != 0)
                : reader.readInteger()
            if number == shape.orderPlace {
                guard value > 0 else {
                    throw JSONError(
                        message: "expected a number above zero, found \(value) or none", offset: reader.offset
                    )
                }
                order = value
            }
            builder.set(place: number, position: position, value)
        case .boolean: builder.set(place: number, position: position, try reader.readBool() ? 1 : 0 as Int64)
        case .real:
            let value =
                try reader.peek() == .string ? RowReading.real(ofText: &reader) : reader.readDouble()
            builder.set(place: number, position: position, value)
        case .time: builder.set(place: number, position: position, try Timestamp.read(&reader).milliseconds)
        case .json:
            try appendCompact(&reader)
            setScratch(number, position)
        }
    }

    private mutating func readText(_ number: Int, _ position: Int, _ reader: inout JSONReader) throws {
        let text = try reader.readText()
        if !text.hasEscapes, shape.targets[number].bytesMax == nil {
            return builder.set(place: number, position: position, utf8: text.bytes)
        }
        scratch.removeAll(keepingCapacity: true)
        text.append(to: &scratch)
        if text.hasEscapes {
            if shape.exact & (1 << UInt64(number)) != 0 {
                try requireExact(text.bytes, number)
            } else if RowReading.inexactness(of: text.bytes, scratch) != nil {
                altered[number, default: 0] += 1
            }
        }
        RowReading.clean(&scratch, bytesMax: shape.targets[number].bytesMax)
        setScratch(number, position)
    }

    /// Whether a field is a part of the key of a list's row, and not the number that orders the list.
    private func isKeyOfListRow(_ number: Int) -> Bool {
        !isSingle && number != shape.orderPlace && shape.keys & shape.required & (1 << UInt64(number)) != 0
    }

    /// Checks that a text of a key or a handle, just read into `scratch`, can be stored exactly. Repaired texts of two
    /// rows could be the same.
    private mutating func requireExact(_ json: RawSpan, _ number: Int) throws {
        guard let problem = RowReading.inexactness(of: json, scratch) else { return }
        let target = shape.targets[number]
        let inexact = fault(
            target, "the text contains \(problem), which cannot be stored as a key or a handle")
        if isSingle { throw inexact }
        if keyFault == nil { keyFault = inexact }
    }

    /// What of a JSON text would be repaired before it is stored; nil when it is stored exactly.
    static func inexactness(of json: RawSpan, _ text: some Collection<UInt8>) -> String? {
        if text.contains(0) { return "U+0000" }
        let bytes = unsafe json.withUnsafeBytes { unsafe [UInt8]($0) }
        return JSONText.hasHalfPair(in: bytes) ? "half of a surrogate pair" : nil
    }

    mutating func setScratch(_ number: Int, _ position: Int) {
        let bytes = scratch
        builder.set(place: number, position: position, utf8: bytes.span.bytes)
    }

    /// Replaces U+0000, and truncates at a character boundary.
    static func clean(_ text: inout [UInt8], bytesMax: Int?) {
        if text.contains(0) {
            text = text.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
        }
        guard let bytesMax, text.count > bytesMax else { return }
        var end = bytesMax
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        text.removeSubrange(end...)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the JSON is an array without elements.
    fileprivate var isEmptyArray: Bool {
        first == UInt8(ascii: "[") && dropFirst().dropLast().allSatisfy { $0 <= 0x20 }
    }
}

// MARK: - JSON as text, and several values

extension RowReading {
    /// Writes the next value to `scratch`, without the white space between its parts.
    private mutating func appendCompact(_ reader: inout JSONReader) throws {
        _ = try reader.peek()
        let start = reader.offset
        try reader.skipValue()
        scratch.removeAll(keepingCapacity: true)
        var isInText = false, isEscaped = false
        for byte in body[base + start..<base + reader.offset] {
            if isInText {
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if byte <= 0x20 {
                continue
            } else {
                isInText = byte == UInt8(ascii: "\"")
            }
            scratch.append(byte)
        }
    }

    private mutating func collect(_ number: Int, _ reader: inout JSONReader) throws {
        let isText = shape.targets[number].type == .text
        if isText {
            let text = try reader.readText()
            scratch.removeAll(keepingCapacity: true)
            text.append(to: &scratch)
            if text.hasEscapes, RowReading.inexactness(of: text.bytes, scratch) != nil {
                altered[number, default: 0] += 1
            }
            RowReading.clean(&scratch, bytesMax: nil)
        } else {
            try appendCompact(&reader)
        }
        let separator = UInt8(ascii: isText ? " " : ",")
        let before = collected[number] ?? []
        collected[number] = before.isEmpty ? scratch : before + [separator] + scratch
    }

    mutating func setCollected() {
        for (number, values) in collected {
            let target = shape.targets[number]
            var values = values
            if target.type == .json { values = [UInt8(ascii: "[")] + values + [UInt8(ascii: "]")] }
            seen |= 1 << UInt64(number)
            builder.set(place: number, position: target.position, utf8: values.span.bytes)
        }
    }
}
