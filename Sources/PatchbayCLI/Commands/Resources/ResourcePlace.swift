import ArgumentParser
import Patchbay

/// An index into the resources of the configuration, as a type.
///
/// The parser needs a type for each command, but the resources are known only at run time. So the commands of a
/// resource are generic over its place, and ``ResourcePlaces`` creates as many places as there are resources.
protocol ResourcePlace: SendableMetatype {
    static var number: Int { get }
}

extension ResourcePlace {
    /// The resource at this place and its source.
    static var resource: DeclaredResource { CommandLineTool.resources[number] }

    static var declaration: ResourceDeclaration { resource.declaration }
}

enum FirstPlace: ResourcePlace {
    static var number: Int { 0 }
}

enum PlaceAfter<Place: ResourcePlace>: ResourcePlace {
    static var number: Int { Place.number + 1 }
}

/// The commands of all places that must exist.
enum ResourcePlaces {
    static var commands: [any ParsableCommand.Type] { ofResources.map { $0.command } }
    static var searches: [any ParsableCommand.Type] { ofResources.map { $0.search } }
    static var syncs: [any ParsableCommand.Type] { places(ResourceList.all.map(\.word)).map { $0.sync } }

    private static var ofResources: [any ResourcePlace.Type] {
        places(CommandLineTool.resources.map(\.noun))
    }

    private static func places(_ names: [String]) -> [any ResourcePlace.Type] {
        var places: [any ResourcePlace.Type] = []
        var place: any ResourcePlace.Type = FirstPlace.self
        for name in names {
            if NamedCommands.contain(name) { places.append(place) }
            place = place.next
        }
        return places
    }
}

extension ResourcePlace {
    fileprivate static var next: any ResourcePlace.Type { PlaceAfter<Self>.self }
    fileprivate static var command: any ParsableCommand.Type { ResourceCommand<Self>.self }
    fileprivate static var search: any ParsableCommand.Type { SearchRows<Self>.self }
    fileprivate static var sync: any ParsableCommand.Type { SyncRows<Self>.self }
}

/// A list of a resource that the command line knows.
struct ResourceList {
    let resource: DeclaredResource
    let list: ListDeclaration

    static var all: [ResourceList] {
        CommandLineTool.resources.flatMap { resource in
            resource.declaration.lists.map { ResourceList(resource: resource, list: $0) }
        }
    }

    /// The word that names the list: `repos`, or `org-repos` for a named list. It contains the source,
    /// `github.org-repos`, whenever the resource's noun does.
    var word: String {
        guard list.name != nil else { return resource.noun }
        return resource.noun.dropLast(resource.declaration.name.count) + bareWord
    }

    /// The word without its source.
    var bareWord: String {
        list.name.map { "\($0)-\(resource.declaration.name)" } ?? resource.declaration.name
    }

    /// The arguments that select the list: the handle of its parent row, then the list's own arguments.
    var arguments: [HandleWord] {
        let parent = CommandLineTool.declared.parent(of: resource).map { HandleWord($0.declaration) }
        return (parent.map { [$0] } ?? []) + list.template.arguments.map { HandleWord([$0]) }
    }
}

extension DeclaredResource {
    /// The noun for a parent row of this resource's lists.
    var parentNoun: String {
        CommandLineTool.declared.parent(of: self)?.declaration.singular ?? declaration.parent ?? "row"
    }
}

/// A row's handle or a list's argument, as people type it.
struct HandleWord {
    /// `owner` and `name` of `owner/name`.
    let parts: [String]

    init(_ parts: [String]) { self.parts = parts.map { $0.lowercased() } }

    /// The handle of a resource's rows.
    init(_ resource: ResourceDeclaration) {
        self.init(resource.handle?.parts ?? resource.key.map { $0.withHyphens })
    }

    /// The form shown in help: `owner/name`.
    var text: String { parts.joined(separator: "/") }

    /// Returns why a word is not valid; nil when it is.
    func problem(of word: String) -> String? {
        if word.isEmpty { return "the \(text) is empty" }
        return HandleDeclaration.parts(of: word, count: parts.count) == nil
            ? "\"\(word)\" is not \(text)" : nil
    }
}
