import ArgumentParser
import Patchbay

/// `patchbay users`, `patchbay repos` and so on: the commands for the rows of a resource.
struct ResourceCommand<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        NamedCommands.configuration(of: Self.self) { made }
    }

    private static var made: CommandConfiguration {
        let resource = Place.declaration
        var verbs: [any ParsableCommand.Type] = [ListRows<Place>.self, BrowseRows<Place>.self]
        // A row without a handle cannot be named unless its key is a single field.
        if resource.handle != nil || resource.key.count == 1 { verbs.append(ShowRow<Place>.self) }
        if resource.picture != nil { verbs.append(PictureOfRow<Place>.self) }
        if !resource.editable.isEmpty { verbs += [EditRow<Place>.self, RevertRow<Place>.self] }
        verbs += [
            WatchRows<Place>.self, InitRows<Place>.self, ImportRawRows<Place>.self, ClearRows<Place>.self,
        ]
        return CommandConfiguration(
            commandName: Place.resource.noun, abstract: ResourceHelp(Place.resource).abstract,
            discussion: NamedCommands.areAll ? ResourceHelp(Place.resource).text : "",
            shouldDisplay: Place.number < CommandLineTool.declared.chosen.count,
            subcommands: NamedCommands.among(verbs))
    }
}

/// The help text about a resource.
struct ResourceHelp {
    private let declared: DeclaredResource
    private var resource: ResourceDeclaration { declared.declaration }

    init(_ declared: DeclaredResource) { self.declared = declared }

    var abstract: String { "List, browse and manage \(resource.plural)." }

    var text: String {
        let elsewhere =
            "See also \"patchbay search \(declared.noun)\" and \"patchbay sync \(declared.noun)\"."
        let parts = [lists, fields, handle, edits, search, elsewhere].compactMap(\.self)
        return parts.joined(separator: "\n\n")
    }

    private var lists: String {
        let lines = resource.lists.map { list in
            let words = ResourceList(resource: declared, list: list).arguments.map { "<\($0.text)>" }
            let flag = list.name.map { ["--" + $0] } ?? []
            return "  " + (["patchbay \(declared.noun) list"] + words + flag).joined(separator: " ")
        }
        return "Lists:\n" + lines.joined(separator: "\n")
    }

    private var fields: String {
        let width = resource.fields.map(\.name.count).max() ?? 0
        let lines = resource.fields.map { field in
            let name = field.name + String(repeating: " ", count: width - field.name.count)
            return "  \(name)  \(field.type.rawValue)" + (field.isDetail ? " (details)" : "")
        }
        return "Fields:\n" + lines.joined(separator: "\n")
    }

    private var handle: String {
        let word = HandleWord(resource).text
        let name = resource.handle?.field ?? resource.key.joined(separator: " and ")
        let noun = "A\(resource.singular.withArticle.dropFirst())"
        return "\(noun) is identified by its \(word == name ? name : "\(name), written \(word)")."
    }

    private var edits: String? {
        resource.editable.isEmpty
            ? nil : "Fields that can be edited locally: \(resource.editable.joined(separator: ", "))."
    }

    private var search: String {
        resource.search == nil
            ? "The source cannot search \(resource.plural); only stored ones are searched."
            : "The source can search \(resource.plural)."
    }
}
