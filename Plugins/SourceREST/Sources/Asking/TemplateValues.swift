import PatchbayCore
import PatchbayDomain

/// The values of a template's parameters, percent-encoded for their places.
struct TemplateValues {
    let resource: Resource
    var arguments: [String] = []
    var parent: Item?
    var after: Int64 = 0
    /// The time, or the value of another type, from which rows are requested; nil requests all.
    var since: ItemValue?
    var until: Timestamp?
    var text = ""
    var handle = ""

    /// Returns the path with its query.
    ///
    /// A value in the path is one segment; a value in the query is a part of it. A query item `{after}` is left out at
    /// the start of the list, and each one with `{since}` if everything is requested.
    /// - Throws: `invalidValue` for a value that cannot be a segment, or a handle with the wrong number of parts.
    func path(_ template: Template) throws -> String {
        var isInQuery = false
        var path = ""
        for (place, piece) in template.pieces.enumerated() {
            switch piece {
            case .literal(let text):
                path += text
                isInQuery = isInQuery || text.contains("?")
            case .parameter(.after): path += after == 0 ? Self.start : String(after)
            case .parameter(.since) where since == nil: path += Self.everything
            case .parameter(let parameter):
                let value = try value(parameter, in: template, isInQuery: isInQuery)
                let isWhole = isInQuery && path.hasSuffix("=") && template.isEndOfItem(place)
                path += isWhole && isText(parameter) ? spelling(ofText: value) : value
            }
        }
        return path.contains(Self.start) || path.contains(Self.everything) ? withoutMarks(path) : path
    }

    /// Whether a parameter is a text, even if its value consists of digits.
    private func isText(_ parameter: Template.Parameter) -> Bool {
        switch parameter {
        case .argument, .after, .setting: return false
        case .since(let form), .until(let form):
            if case .pattern = form { return true }
            if case .text = since { return true }
            return false
        case .field(_, let field):
            guard case .text = parent?[field] else { return false }
            return true
        case .handle: return (resource.handle ?? resource.key[0]).type == .text
        case .key: return resource.key[0].type == .text
        case .text: return true
        }
    }

    private func spelling(ofText encoded: String) -> String {
        PercentEncoding.segment(resource.declaration.send.spelling(of: PercentEncoding.decoded(encoded)))
    }

    /// Marks an `{after}` of 0; it cannot occur in an address.
    private static let start = "\u{0}"

    /// Marks a `{since}` without a value.
    private static let everything = "\u{1}"

    private func withoutMarks(_ path: String) -> String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let items =
            parts.dropFirst().first?.split(separator: "&")
            .filter { !$0.hasSuffix("=" + Self.start) && !$0.contains(Self.everything) } ?? []
        let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
        return (parts[0] + query).replacing(Self.start, with: "0")
    }

    private func value(
        _ parameter: Template.Parameter, in template: Template, isInQuery: Bool
    ) throws -> String {
        switch parameter {
        case .argument(let name):
            let place = template.arguments.firstIndex(of: name) ?? 0
            guard place < arguments.count else {
                throw PatchbayError(
                    .invalidValue, "the list of \(resource.plural) needs \(name.withArticle)")
            }
            return try encoded(arguments[place], noun: name, isInQuery: isInQuery)
        case .field(_, let field):
            guard let value = parent?[field]?.description else {
                throw PatchbayError(
                    .invalidValue, "the row that the \(resource.plural) belong to has no \(field)")
            }
            return try encoded(value, noun: field, isInQuery: isInQuery)
        case .handle: return try encodedHandle(isInQuery: isInQuery)
        case .key: return try encoded(handle, noun: resource.key[0].name, isInQuery: isInQuery)
        case .text: return PercentEncoding.segment(text)
        case .after: return String(after)
        case .since(let form):
            return try encoded(since?.text(in: form) ?? "", noun: "since", isInQuery: isInQuery)
        case .until(let form):
            return try encoded(until.map(form.text) ?? "", noun: "until", isInQuery: isInQuery)
        case .setting(let name):
            throw PatchbayError(
                .invalidConfiguration,
                "source.settings: \(name.withHyphens) is not set; add \(name.withHyphens)=VALUE")
        }
    }

    private func encoded(_ value: String, noun: String, isInQuery: Bool) throws -> String {
        if isInQuery { return PercentEncoding.segment(value) }
        func refused(_ reason: String) -> PatchbayError {
            PatchbayError(
                .invalidValue, "\(Quotation.quoted(value)) cannot be \(noun.withArticle)" + reason)
        }
        // In an address they mean this folder and the one above it, even if encoded.
        if value == "." || value == ".." { throw refused(", because it has another meaning in an address") }
        guard 1...Self.segmentBytesMax ~= value.utf8.count else {
            throw refused("; use 1 to \(Self.segmentBytesMax) bytes")
        }
        return PercentEncoding.segment(value)
    }

    private static let segmentBytesMax = 255

    /// Each part of a handle is a segment.
    private func encodedHandle(isInQuery: Bool) throws -> String {
        let names = resource.declaration.handle?.parts ?? [resource.key[0].name]
        guard names.count > 1 else {
            return try encoded(handle, noun: names[0].lowercased(), isInQuery: isInQuery)
        }
        return try zip(resource.parts(ofHandle: handle), names).map {
            try encoded($0, noun: $1.lowercased(), isInQuery: isInQuery)
        }.joined(separator: "/")
    }
}

extension ItemValue {
    /// The value as it is sent; the form matters for a time only.
    func text(in form: TimeForm) -> String {
        if case .time(let time) = self { form.text(of: time) } else { description }
    }
}

extension Template {
    /// Whether the piece at a place is the last one of an item of the query.
    fileprivate func isEndOfItem(_ place: Int) -> Bool {
        guard case .literal(let next) = pieces.dropFirst(place + 1).first else {
            return place == pieces.count - 1
        }
        return next.hasPrefix("&")
    }
}
