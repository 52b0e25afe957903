import Patchbay

/// The text about a resource that `patchbay resources NAME` prints.
struct ResourceDescription {
    private let declared: DeclaredResource
    private var resource: ResourceDeclaration { declared.declaration }

    init(_ declared: DeclaredResource) { self.declared = declared }

    var text: String {
        let parts = [lists, fields, handle, edits, children, search, examples].compactMap(\.self)
        return parts.joined(separator: "\n\n")
    }

    private var lists: String {
        "Lists:\n" + declared.lists.map { "  patchbay list \($0.usage)" }.joined(separator: "\n")
    }

    private var fields: String {
        let width = resource.fields.map(\.name.count).max() ?? 0
        let lines = resource.fields.map { field in
            let name = field.name + String(repeating: " ", count: width - field.name.count)
            return "  \(name)  \(field.type.rawValue)" + (field.isDetail ? " (details)" : "")
        }
        return "Fields:\n" + lines.joined(separator: "\n")
    }

    private var isNamed: Bool { resource.handle != nil || resource.key.count == 1 }

    private var handle: String? {
        guard isNamed else { return nil }
        let word = HandleWord(resource).text
        let name = resource.handle?.field ?? resource.key.joined(separator: " and ")
        let noun = "A\(resource.singular.withArticle.dropFirst())"
        return "\(noun) is identified by its \(word == name ? name : "\(name), written \(word)")."
    }

    private var edits: String? {
        resource.editable.isEmpty
            ? nil : "Fields that can be edited locally: \(resource.editable.joined(separator: ", "))."
    }

    private var children: String? {
        let names = CommandLineTool.declared.children(of: declared).map(\.noun)
        return names.isEmpty
            ? nil : "Lists of each \(resource.singular): \(names.joined(separator: ", ")) (--with, sync)."
    }

    private var search: String {
        resource.search == nil
            ? "The source cannot search \(resource.plural); only stored ones are searched."
            : "The source can search \(resource.plural)."
    }

    private var examples: String {
        let word = "<\(HandleWord(resource).text)>", noun = declared.noun
        var lines = declared.lists.prefix(1).map { "sync \($0.usage)" } + ["search \(noun) TEXT"]
        if isNamed {
            lines.append("show \(noun) \(word)")
            if let field = resource.editable.first { lines.append("edit \(noun) \(word) \(field)=TEXT") }
        }
        return "Examples:\n" + lines.map { "  patchbay \($0)" }.joined(separator: "\n")
    }
}
