import PatchbayJSON

/// The values of scalars in the core schema of YAML 1.2.
enum YAMLScalar {
    /// A scalar without quotes.
    static func node(_ text: String) -> YAMLReader.Node {
        YAMLReader.Node(value: value(of: text), text: text, isPlain: true)
    }

    /// The value of a scalar with a tag; a tag of an application makes it a text.
    static func value(of text: String, tagged tag: String, in reader: YAMLReader) throws(YAMLError)
        -> JSONValue
    {
        let name =
            tag.hasPrefix("!!") ? String(tag.dropFirst(2)) : tag.split(separator: ":").last.map(String.init)
        guard let name, ["int", "float", "bool", "null"].contains(name.prefix { $0 != ">" }) else {
            return .text(text)
        }
        let found = value(of: text)
        if case .text = found { throw reader.fault("\"\(DraftWords.shown(text))\" is not a value of \(tag)") }
        return found
    }

    private static func value(of text: String) -> JSONValue {
        // Most scalars are texts that begin with a letter.
        guard let first = text.utf8.first else { return .null }
        switch first {
        case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
            UInt8(ascii: "f"), UInt8(ascii: "F"):
            switch text {
            case "~", "null", "Null", "NULL": return .null
            case "true", "True", "TRUE": return .bool(true)
            case "false", "False", "FALSE": return .bool(false)
            default: return .text(text)
            }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return number(text).map(JSONValue.number) ?? .text(text)
        default: return .text(text)
        }
    }

    /// A number as JSON spells it; nil for another text. Infinity and NaN stay texts.
    private static func number(_ text: String) -> String? {
        for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
            let digits = text.dropFirst(2)
            guard digits.first != "+", digits.first != "-" else { return nil }
            return UInt64(digits, radix: radix).map { String($0) }
        }
        var rest = text[...]
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        func digits() -> Substring {
            let found = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(found.count)
            return found
        }
        let whole = digits()
        var fraction: Substring?, exponent = ""
        if rest.first == "." {
            rest = rest.dropFirst()
            fraction = digits()
        }
        guard !whole.isEmpty || fraction?.isEmpty == false else { return nil }
        if let sign = rest.first, sign == "e" || sign == "E" {
            rest = rest.dropFirst()
            exponent = "e"
            if let sign = rest.first, sign == "+" || sign == "-" {
                exponent.append(sign)
                rest = rest.dropFirst()
            }
            let power = digits()
            guard !power.isEmpty else { return nil }
            exponent += power
        }
        guard rest.isEmpty else { return nil }
        let significant = whole.drop { $0 == "0" }
        let decimals = fraction.map { "." + ($0.isEmpty ? "0" : $0) } ?? ""
        return (isNegative ? "-" : "") + (significant.isEmpty ? "0" : significant) + decimals + exponent
    }
}
