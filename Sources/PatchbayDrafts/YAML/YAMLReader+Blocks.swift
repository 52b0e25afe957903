import PatchbayJSON

/// Reads nodes whose structure is their indentation.
extension YAMLReader {
    /// What comes before a node, which decides whether a block collection may begin on the same line.
    enum Place {
        /// Nothing, on its line.
        case line
        /// `- ` or `? `, after which a collection may begin.
        case entry
        /// `key: ` or `---`, after which it begins on the next line; a list may be as far left as the key.
        case value
    }

    /// The anchor and the tag of a node.
    struct Properties {
        var anchor: String?
        var tag: String?
        var isEmpty: Bool { anchor == nil && tag == nil }

        func joined(with other: Properties, in reader: YAMLReader) throws(YAMLError) -> Properties {
            guard anchor == nil || other.anchor == nil, tag == nil || other.tag == nil else {
                throw reader.fault("a value has two anchors or tags")
            }
            return Properties(anchor: anchor ?? other.anchor, tag: tag ?? other.tag)
        }
    }

    /// Reads the node that is indented by more than `parent` columns, or an empty one.
    mutating func node(below parent: Int, _ place: Place) throws(YAMLError) -> Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw fault("the values are nested more than \(Self.depthMax) levels deep")
        }
        skipToContent()
        var outer = Properties()
        guard hasNode(below: parent, place) else { return .empty }
        var start = position
        var own = try properties()
        if !own.isEmpty, isAtBreak || byte == UInt8(ascii: "#") {
            // On a line of their own they belong to the whole node, else to the key that follows.
            outer = own
            own = Properties()
            skipToContent()
            guard hasNode(below: parent, place) else { return try finished(.empty, outer) }
            start = position
            own = try properties()
            if isAtBreak {
                // An anchor and a tag may be on two lines.
                outer = try outer.joined(with: own, in: self)
                own = Properties()
                skipToContent()
                guard hasNode(below: parent, place) else { return try finished(.empty, outer) }
                start = position
            }
        }
        open(outer.anchor)
        let mayHoldBlock = startsLine(start) || place == .entry
        let found = try content(below: parent, own, from: start, mayHoldBlock: mayHoldBlock)
        if !own.isEmpty, found.text != nil { _ = try outer.joined(with: own, in: self) }
        return try finished(found, outer)
    }

    /// Whether a node comes next, rather than the end of the block that contains it.
    private func hasNode(below parent: Int, _ place: Place) -> Bool {
        guard !isAtEnd, !isAtMarker else { return false }
        guard startsLine else { return true }
        let indentation = self.indentation
        return indentation > parent
            || place == .value && indentation == parent && column == indentation && isIndicator("-")
    }

    /// The number of spaces with which the line begins.
    var indentation: Int {
        var place = lineStart
        while at(place) == UInt8(ascii: " ") { place += 1 }
        return place - lineStart
    }

    private func startsLine(_ place: Int) -> Bool {
        place >= lineStart && bytes[lineStart..<place].allSatisfy(Self.isWhite)
    }

    /// Reads the rest of a node after its first properties.
    private mutating func content(
        below parent: Int, _ own: Properties, from start: Int, mayHoldBlock: Bool
    ) throws(YAMLError) -> Node {
        let column = start - lineStart
        if isIndicator("-") {
            guard mayHoldBlock, own.isEmpty else {
                throw fault("a list begins after other text; begin it on its own line")
            }
            return try sequence(at: column)
        }
        if isIndicator("?") || isIndicator(":") {
            let isKey = isIndicator("?")
            guard mayHoldBlock, own.isEmpty || !isKey else {
                throw fault("a mapping begins after other text")
            }
            return try mapping(at: column, after: isKey ? nil : finished(.empty, own))
        }
        if byte == UInt8(ascii: "|") || byte == UInt8(ascii: ">") {
            return try finished(Node(text: try blockScalar(below: parent)), own)
        }
        guard own.isEmpty || byte != UInt8(ascii: "*") else { throw fault("an alias has an anchor or a tag") }
        open(own.anchor)
        let first = line
        var found = try atom(in: .block)
        let end = position
        skipWhite()
        if line == first, isIndicator(":") {
            guard mayHoldBlock else {
                throw fault("\": \" is in a value on the same line as its key; put the value in quotes")
            }
            return try mapping(at: column, after: try finished(found, own))
        }
        position = end
        if found.isPlain, found.text != nil { found = try plain(after: found, below: parent) }
        try passLineEnd()
        return try finished(found, own)
    }

    /// Checks that only a comment follows on the line.
    private mutating func passLineEnd() throws(YAMLError) {
        let end = position
        skipWhite()
        guard isAtBreak || byte == UInt8(ascii: "#") && position > end else {
            throw isIndicator(":")
                ? fault("a key takes more than one line") : misplaced()
        }
    }

    // MARK: Collections

    private mutating func sequence(at column: Int) throws(YAMLError) -> Node {
        guard !hasTab else { throw misplaced() }
        var elements: [JSONValue] = [], count = 1
        repeat {
            position += 1
            let element = try node(below: column, .entry)
            elements.append(element.value)
            try add(element, to: &count)
        } while try hasMore(at: column) && isIndicator("-")
        return Node(value: .array(elements), count: count)
    }

    /// Reads a mapping whose first key begins in a column and may have been read.
    private mutating func mapping(at column: Int, after first: Node?) throws(YAMLError) -> Node {
        guard !hasTab(before: lineStart + column) else { throw misplaced() }
        var members = YAMLMembers(), key = first
        repeat {
            let keyLine = line
            let explicit = key == nil ? try explicitKey(at: column) : nil
            let name = if let known = key ?? explicit { known } else { try implicitKey() }
            key = nil
            var value = Node.empty
            if isIndicator(":") {
                position += 1
                value = try node(below: column, explicit == nil ? .value : .entry)
            }
            try members.add(name, value, in: self, line: keyLine)
        } while try hasMore(at: column)
        return members.node
    }

    private func hasTab(before place: Int) -> Bool {
        bytes[lineStart..<place].contains(UInt8(ascii: "\t"))
    }

    /// Moves to the next entry of a block; false at its end.
    private mutating func hasMore(at column: Int) throws(YAMLError) -> Bool {
        skipToContent()
        guard !isAtEnd, !isAtMarker else { return false }
        guard startsLine else { throw misplaced() }
        if indentation < column, self.column == indentation { return false }
        guard self.column == column, !hasTab else { throw misplaced() }
        return true
    }

    /// Reads `? key` and moves to its value; nil for another key.
    private mutating func explicitKey(at column: Int) throws(YAMLError) -> Node? {
        guard isIndicator("?") else { return nil }
        position += 1
        let key = try node(below: column, .entry)
        let mark = self
        skipToContent()
        if !isAtEnd, startsLine, self.column == column, isIndicator(":") { return key }
        self = mark
        return key
    }

    private mutating func implicitKey() throws(YAMLError) -> Node {
        if isIndicator(":") { return .empty }
        guard !isIndicator("-") else { throw fault("an entry of a list is where a key was expected") }
        let first = line, own = try properties()
        guard line == first, !isAtBreak else { throw fault("a key is missing") }
        if isIndicator(":") { return try finished(.empty, own) }
        let key = try finished(try atom(in: .block), own)
        skipWhite()
        guard line == first, isIndicator(":") else {
            throw fault("a key has no \":\" with a space after it", line: first)
        }
        return key
    }

    /// Adds the values of a child to those of its parent.
    func add(_ node: Node, to count: inout Int) throws(YAMLError) {
        count += node.count
        guard count <= Self.valuesMax else {
            throw fault(
                "the text stands for more than \(Self.valuesMax) values, with those that aliases repeat")
        }
    }

    // MARK: Anchors and tags

    mutating func properties() throws(YAMLError) -> Properties {
        var found = Properties()
        while !isAtEnd {
            let start = position
            if byte == UInt8(ascii: "&") {
                position += 1
                let name = anchorName()
                guard !name.isEmpty, found.anchor == nil else {
                    throw fault("an anchor has no name of its own")
                }
                found.anchor = name
            } else if byte == UInt8(ascii: "!") {
                guard found.tag == nil else { throw fault("a value has two tags") }
                if at(position + 1) == UInt8(ascii: "<") {
                    while !isAtBlank { position += 1 }
                } else {
                    while !isAtBlank, !isFlowIndicator(byte) { position += 1 }
                }
                found.tag = text(start..<position)
            } else {
                break
            }
            guard isAtBlank || isFlowIndicator(byte) else {
                throw fault("an anchor or a tag has no space after it")
            }
            skipWhite()
        }
        return found
    }

    /// A node with its tag applied and its anchor known.
    mutating func finished(_ node: Node, _ properties: Properties) throws(YAMLError) -> Node {
        guard !properties.isEmpty else { return node }
        var node = node
        if let text = node.text, let tag = properties.tag {
            node.value = try YAMLScalar.value(of: text, tagged: tag, in: self)
        }
        close(properties.anchor, node)
        return node
    }
}

extension YAMLReader.Node {
    /// A scalar that is a text whatever it looks like.
    init(text: String) { self.init(value: .text(text), text: text) }
}
