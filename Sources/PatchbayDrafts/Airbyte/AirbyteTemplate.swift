import PatchbayDomain
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
        /// A value of the partition of the parent's list.
        case parentPartition(String)
        /// The beginning or the end of the interval of an incremental sync, in the connector's form of times or in a
        /// form of its own.
        case start(form: String?), end(form: String?)
        /// The place where the next page begins.
        case token
        /// A member of the answer: `response.meta.next`.
        case answer([String])
        /// The next page in the `Link` header: its address, or a parameter of it.
        case nextLink
        /// The value of a header field of the answer, by its name in lower case.
        case header(String)
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
        if text.contains("{%") {
            parts = [.unknown(text)]
            return
        }
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
            Self.parts(of: expression, parameters).forEach(add)
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty { add(.literal(String(rest))) }
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

    /// The settings without a default.
    var settings: [String] {
        parts.compactMap {
            if case .setting(let name, let other) = $0, other?.isEmpty ?? true { name } else { nil }
        }
    }

    /// The first expression that is not understood.
    var unknown: String? {
        parts.lazy.compactMap { if case .unknown(let text) = $0 { text } else { nil } }.first
    }

    // MARK: Expressions

    /// The parts of an expression, which may join texts: `'Token ' ~ config['key']`.
    private static func parts(of expression: String, _ parameters: [String: JSONValue]) -> [Part] {
        let whole = part(expression, parameters)
        guard case .unknown = whole else { return [whole] }
        let parts = operands(of: expression).map { part($0, parameters) }
        let areKnown = parts.allSatisfy { if case .unknown = $0 { false } else { true } }
        return parts.count > 1 && areKnown ? parts : [whole]
    }

    /// The texts between `~` and `+` outside quotes and parentheses.
    private static func operands(of expression: String) -> [String] {
        var operands = [""], quote: Character?, depth = 0
        for character in expression {
            if let open = quote {
                if character == open { quote = nil }
            } else if "'\"".contains(character) {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if "~+".contains(character), depth == 0 {
                operands.append("")
                continue
            }
            operands[operands.count - 1].append(character)
        }
        return operands.map(\.trimmed)
    }

    private static func part(_ text: String, _ parameters: [String: JSONValue]) -> Part {
        if ["'", "\""].contains(text.prefix(1)),
            text.dropFirst().firstIndex(of: text.first!) == text.indices.last
        {
            return .literal(String(text.dropFirst().dropLast()))
        }
        if let simple = simplified(text, parameters) { return simple }
        guard let (names, other) = path(text), let first = names.first else { return .unknown(text) }
        let rest = Array(names.dropFirst())
        switch first {
        case "config" where !rest.isEmpty: return .setting(rest[rest.count - 1], other: other)
        case "parameters", "options":
            guard rest.count == 1, let value = parameters[rest[0]]?.word else { return .unknown(text) }
            let inner = AirbyteTemplate(value)
            return inner.parts.count == 1 ? inner.parts[0] : .unknown(text)
        case "stream_partition", "stream_slice", "stream_interval":
            if rest.count == 2, rest[0] == "parent_slice" { return .parentPartition(rest[1]) }
            guard rest.count == 1 else { return .unknown(text) }
            return ["start_time", "start_date", "start"].contains(rest[0])
                ? .start(form: nil)
                : ["end_time", "end_date", "end"].contains(rest[0]) ? .end(form: nil) : .partition(rest[0])
        case "next_page_token" where rest == ["next_page_token"]: return .token
        case "record" where !rest.isEmpty && rest.allSatisfy { Int($0) == nil }: return .record(rest)
        case "response" where !rest.isEmpty: return .answer(rest)
        case "headers":
            let words = rest.map { $0.lowercased() }
            if words.count == 3, words.starts(with: ["link", "next"]) { return .nextLink }
            return words.count == 1 && words != ["link"] ? .header(words[0]) : .unknown(text)
        case "last_record" where !rest.isEmpty: return .lastRow(rest)
        case "last_records" where rest.count > 1 && rest[0] == "-1": return .lastRow(Array(rest.dropFirst()))
        default: return .unknown(text)
        }
    }

    /// An expression around another one that does not change what a definition sends; nil for one of another form.
    private static func simplified(_ text: String, _ parameters: [String: JSONValue]) -> Part? {
        // A filter that only changes the type of a value, or replaces an absent one by an empty one.
        let filter =
            /(.+?)\s*\|\s*(?:(?:string|int|trim|tojson)(?:\(\s*\))?|default\(\s*(?:[Nn]one|''|"")\s*\))/
        if let match = text.wholeMatch(of: filter) {
            var inner = String(match.output.1)
            if inner.hasPrefix("("), inner.hasSuffix(")") { inner = String(inner.dropFirst().dropLast()) }
            return part(inner, parameters)
        }
        if let match = text.wholeMatch(of: /["'],["']\s*\.join\(\s*(config[^()|]*(?:\(.*\))?)\s*\)/) {
            return part(String(match.output.1), parameters)
        }
        // Addresses are encoded in any case.
        if let match = text.wholeMatch(of: /sanitize_url\(([^()]*(?:\([^()]*\))?[^()]*)\)/) {
            return part(String(match.output.1).trimmed, parameters)
        }
        let time =
            text.wholeMatch(of: /(stream_\w+.+?)\.strftime\(\s*["']([^"']+)["']\s*\)/)?.output
            ?? text.wholeMatch(of: /format_datetime\(\s*(stream_\w+.+?)\s*,\s*["']([^"']+)["']\s*\)/)?.output
        guard let time else { return nil }
        switch part(String(time.1), parameters) {
        case .start: return .start(form: String(time.2))
        case .end: return .end(form: String(time.2))
        default: return nil
        }
    }

    /// The names in `a.b['c'].get("d", {})`, and the default of the last `get` or `or`; nil for another expression.
    static func path(_ text: String) -> (names: [String], other: String?)? {
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
            } else if let match = rest.prefixMatch(of: /\[\s*["']([^"']+)["']\s*\]/)
                ?? rest.prefixMatch(of: /\[(-?[0-9]+)\]/)
            {
                names.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /\.([A-Za-z_][A-Za-z0-9_]*)/),
                !rest[match.range.upperBound...].hasPrefix("(")
            {
                names.append(String(match.output.1))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(
                of: /\s+or\s+(?:"([^"]*)"|'([^']*)'|([0-9.]+|True|False)|[Nn]one)$/)
            {
                let other = match.output.1 ?? match.output.2 ?? match.output.3 ?? ""
                return (names, String(other))
            } else {
                return nil
            }
        }
        return (names, other.flatMap { $0.isEmpty || "{[".contains($0.prefix(1)) ? nil : $0 })
    }
}

extension AirbyteTemplate.Part {
    /// Whether the part is the same in all requests: a text or a setting.
    var isFixed: Bool {
        switch self {
        case .literal, .setting: true
        default: false
        }
    }
}
