import PatchbayJSON

/// A text of a manifest with expressions in braces, of which the usual forms are recognised.
struct AirbyteTemplate {
    /// A part of the text.
    enum Part: Hashable {
        case literal(String)
        /// A value of the connector's configuration, by its last name, and its default.
        case setting(String, other: String?)
        /// A value of the list's partition: the key of a parent or one of several values.
        case partition(String)
        /// The beginning or the end of the interval of an incremental sync.
        case start, end
        /// A member of the answer: `response.meta.next`.
        case answer([String])
        /// The address of the next page in the `Link` header.
        case nextLink
        /// A member of the last row of the page.
        case lastRow([String])
        /// A member of the row: `record.owner.id`.
        case record([String])
        /// Anything else, as it is written.
        case unknown(String)
    }

    let parts: [Part]

    /// - Parameter parameters: the values that the manifest itself gives to `parameters.NAME`.
    init(_ text: String, _ parameters: [String: JSONValue] = [:]) {
        var parts: [Part] = [], rest = text[...]
        func add(_ part: Part) {
            if case .literal(let text) = part, case .literal(let before)? = parts.last {
                parts[parts.count - 1] = .literal(before + text)
            } else {
                parts.append(part)
            }
        }
        while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            if open.lowerBound > rest.startIndex { add(.literal(String(rest[..<open.lowerBound]))) }
            let expression = rest[open.upperBound..<close.lowerBound].split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            add(Self.part(expression, parameters))
            rest = rest[close.upperBound...]
        }
        if rest.contains("{%") {
            add(.unknown(String(rest)))
        } else if !rest.isEmpty {
            add(.literal(String(rest)))
        }
        self.parts = parts
    }

    /// The text, if it has no expressions.
    var literal: String? {
        if parts.isEmpty { return "" }
        guard parts.count == 1, case .literal(let text) = parts[0] else { return nil }
        return text
    }

    /// The text with the defaults of its settings; nil if it has another expression, or a setting without a default.
    var defaulted: String? {
        var text = ""
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .setting(_, let other?): text += other
            default: return nil
            }
        }
        return text
    }

    /// The only part, if the text is one expression.
    var expression: Part? { parts.count == 1 ? parts[0] : nil }

    /// The first expression that is not understood.
    var unknown: String? {
        parts.lazy.compactMap { if case .unknown(let text) = $0 { text } else { nil } }.first
    }

    // MARK: Expressions

    private static func part(_ text: String, _ parameters: [String: JSONValue]) -> Part {
        if ["'", "\""].contains(text.prefix(1)),
            text.dropFirst().firstIndex(of: text.first!) == text.indices.last
        {
            return .literal(String(text.dropFirst().dropLast()))
        }
        guard let (names, other) = path(text), let first = names.first else { return .unknown(text) }
        let rest = Array(names.dropFirst())
        switch first {
        case "config" where !rest.isEmpty: return .setting(rest[rest.count - 1], other: other)
        case "parameters", "options":
            guard rest.count == 1, let value = parameters[rest[0]]?.word else { return .unknown(text) }
            let inner = AirbyteTemplate(value)
            return inner.parts.count == 1 ? inner.parts[0] : .unknown(text)
        case "stream_partition", "stream_slice", "stream_interval":
            guard rest.count == 1 else { return .unknown(text) }
            return ["start_time", "start_date", "start"].contains(rest[0])
                ? .start : ["end_time", "end_date", "end"].contains(rest[0]) ? .end : .partition(rest[0])
        case "record" where !rest.isEmpty && rest.allSatisfy { Int($0) == nil }: return .record(rest)
        case "response" where !rest.isEmpty: return .answer(rest)
        case "headers":
            return rest.map { $0.lowercased() } == ["link", "next", "url"] ? .nextLink : .unknown(text)
        case "last_record" where !rest.isEmpty: return .lastRow(rest)
        case "last_records" where rest.count > 1 && rest[0] == "-1": return .lastRow(Array(rest.dropFirst()))
        default: return .unknown(text)
        }
    }

    /// The names in `a.b['c'].get("d", {})`, and the default of the last `get` or `or`; nil for another expression.
    private static func path(_ text: String) -> (names: [String], other: String?)? {
        var names: [String] = [], other: String?, rest = text[...]
        guard let root = rest.prefixMatch(of: /[A-Za-z_]+/) else { return nil }
        names.append(String(root.output))
        rest = rest[root.range.upperBound...]
        while !rest.isEmpty {
            other = nil
            if let match = rest.prefixMatch(of: /\.get\(\s*["']([^"']+)["']\s*(?:,\s*([^()]*))?\)/) {
                names.append(String(match.output.1))
                other = match.output.2.map { $0.trimmingPrefix(/["']/) }.map {
                    $0.prefix { !"\"'".contains($0) }
                }
                .map { String($0) }
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[\s*["']([^"']+)["']\s*\]/) {
                names.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\[(-?[0-9]+)\]/) {
                names.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.([A-Za-z_][A-Za-z0-9_]*)/),
                !rest[match.range.upperBound...].hasPrefix("(")
            {
                names.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\s+or\s+["']?([^"'{}()]*)["']?$/) {
                return (names, String(match.output.1))
            } else {
                return nil
            }
        }
        return (names, other.flatMap { $0.isEmpty || "{[".contains($0.prefix(1)) ? nil : $0 })
    }
}
