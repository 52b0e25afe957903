/// A piece of HTML or SVG. Text is always escaped, so that no name can become markup.
struct HTML: Sendable {
    private(set) var source: String

    static let none = HTML(source: "")

    private init(source: String) { self.source = source }

    /// Text with escaped markup; invisible and forbidden characters become escapes such as `\u{202E}`.
    init(_ text: String) { self.init(source: HTML.escaped(text)) }

    /// Several pieces, one a line.
    init(_ pieces: [HTML]) { self.init(source: pieces.map(\.source).joined(separator: "\n")) }

    /// HTML from the source code, such as a style sheet.
    init(literal: StaticString) { self.init(source: literal.description) }

    /// An element with its end tag.
    static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:], _ content: HTML...
    ) -> HTML {
        let inside = content.map(\.source).joined()
        return HTML(source: start(name, attributes) + inside + "</\(name)>")
    }

    /// An element with many pieces inside, one a line.
    static func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String> = [:], _ content: [HTML]
    ) -> HTML {
        HTML(source: start(name, attributes) + "\n" + HTML(content).source + "\n</\(name)>")
    }

    /// An element without an end tag.
    static func void(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>) -> HTML {
        HTML(source: start(name, attributes))
    }

    private static func start(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String>
    ) -> String {
        let texts = attributes.map { " \($0.key)=\"\(escaped($0.value))\"" }
        return "<\(name)\(texts.joined())>"
    }
}

extension HTML {
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case _ where isUnseen(scalar):
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Control characters, line separators, direction marks and noncharacters.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
            0xFDD0...0xFDEF:
            true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }
}
