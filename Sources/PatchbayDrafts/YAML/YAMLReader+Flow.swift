import PatchbayJSON

/// Reads collections in brackets and braces. Their indentation is not checked, because few programs do.
extension YAMLReader {
    enum Context { case block, flow }

    /// Reads a value without properties that begins here: an alias, a collection in brackets, or a scalar. Of a plain
    /// scalar in a block, the first line.
    mutating func atom(in context: Context) throws(YAMLError) -> Node {
        switch byte {
        case UInt8(ascii: "*"): return try alias()
        case UInt8(ascii: "["): return try nested { reader throws(YAMLError) in try reader.flowSequence() }
        case UInt8(ascii: "{"): return try nested { reader throws(YAMLError) in try reader.flowMapping() }
        case UInt8(ascii: "\""): return Node(text: try doubleQuoted())
        case UInt8(ascii: "'"): return Node(text: try singleQuoted())
        default: return try plain(in: context)
        }
    }

    private mutating func nested(
        _ read: (inout YAMLReader) throws(YAMLError) -> Node
    ) throws(YAMLError) -> Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw fault("the values are nested more than \(Self.depthMax) levels deep")
        }
        return try read(&self)
    }

    /// Moves to the next text inside brackets.
    ///
    /// - Parameter first: the line of the opening bracket.
    private mutating func skipInFlow(_ first: Int) throws(YAMLError) {
        skipToContent()
        guard !isAtEnd, !isAtMarker else {
            throw fault("a list or a mapping in brackets is not closed", line: first)
        }
        guard byte != UInt8(ascii: "#") else { throw fault("a comment has no space before it") }
    }

    /// Refuses a comma without an entry before it.
    private func checkEntry() throws(YAMLError) {
        guard byte != UInt8(ascii: ",") else { throw fault("a comma in brackets has no value before it") }
    }

    private mutating func flowSequence() throws(YAMLError) -> Node {
        let first = line
        var elements: [JSONValue] = [], count = 1
        position += 1
        while true {
            try skipInFlow(first)
            if byte == UInt8(ascii: "]") { break }
            try checkEntry()
            let isExplicit = isIndicator("?"), keyLine = line
            var element = try flowKey(isExplicit, first)
            if isExplicit || line == keyLine, isAtValue(after: element) || isExplicit {
                var members = YAMLMembers()
                try members.add(element, try flowValue(first), in: self, line: keyLine)
                element = members.node
            }
            elements.append(element.value)
            try add(element, to: &count)
            if try !passComma(before: UInt8(ascii: "]"), first) { break }
        }
        position += 1
        return Node(value: .array(elements), count: count)
    }

    private mutating func flowMapping() throws(YAMLError) -> Node {
        let first = line
        var members = YAMLMembers()
        position += 1
        while true {
            try skipInFlow(first)
            if byte == UInt8(ascii: "}") { break }
            try checkEntry()
            let keyLine = line, key = try flowKey(isIndicator("?"), first)
            let value = isAtValue(after: key) ? try flowValue(first) : .empty
            try members.add(key, value, in: self, line: keyLine)
            if try !passComma(before: UInt8(ascii: "}"), first) { break }
        }
        position += 1
        return members.node
    }

    /// Passes a comma; false at the closing bracket.
    private mutating func passComma(before end: UInt8, _ first: Int) throws(YAMLError) -> Bool {
        try skipInFlow(first)
        if byte == end { return false }
        guard byte == UInt8(ascii: ",") else { throw fault("a comma is missing in brackets") }
        position += 1
        return true
    }

    /// Reads an entry in brackets, which may be a key, and moves to what follows.
    private mutating func flowKey(_ isExplicit: Bool, _ first: Int) throws(YAMLError) -> Node {
        if isExplicit {
            position += 1
            try skipInFlow(first)
        }
        let key = try flowNode(first)
        try skipInFlow(first)
        return key
    }

    /// Whether `:` and a value come next. A key in quotes or brackets needs no space after it.
    private func isAtValue(after key: Node) -> Bool {
        guard byte == UInt8(ascii: ":") else { return false }
        return !key.isPlain || isBlank(position + 1) || isFlowIndicator(at(position + 1))
    }

    private mutating func flowValue(_ first: Int) throws(YAMLError) -> Node {
        guard byte == UInt8(ascii: ":") else { return .empty }
        position += 1
        try skipInFlow(first)
        return try flowNode(first)
    }

    /// Reads a node in brackets, which is empty before an indicator.
    private mutating func flowNode(_ first: Int) throws(YAMLError) -> Node {
        var own = Properties()
        while byte == UInt8(ascii: "&") || byte == UInt8(ascii: "!") {
            own = try own.joined(with: try properties(), in: self)
            try skipInFlow(first)
        }
        open(own.anchor)
        let isEmpty =
            [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte)
            || byte == UInt8(ascii: ":") && (isBlank(position + 1) || isFlowIndicator(at(position + 1)))
        return try finished(isEmpty ? .empty : try atom(in: .flow), own)
    }
}
