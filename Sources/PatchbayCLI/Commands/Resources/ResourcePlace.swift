import Patchbay
import PatchbayDomain

/// A place among the resources that a command line knows, as a type.
///
/// The parser wants a type for each command, and the resources are known only when the command runs. So the commands of
/// a resource are generic over its place, and ``ResourcePlaces`` makes as many places as there are resources.
protocol ResourcePlace {
    static var number: Int { get }
}

extension ResourcePlace {
    /// The resource at this place, with its source.
    static var resource: DeclaredResource { CommandLineTool.resources[number] }

    static var declaration: ResourceDeclaration { resource.declaration }
}

enum FirstPlace: ResourcePlace {
    static var number: Int { 0 }
}

enum PlaceAfter<Place: ResourcePlace>: ResourcePlace {
    static var number: Int { Place.number + 1 }
}

enum ResourcePlaces {
    static func first(_ count: Int) -> [any ResourcePlace.Type] {
        var places: [any ResourcePlace.Type] = []
        var place: any ResourcePlace.Type = FirstPlace.self
        for _ in 0..<count {
            places.append(place)
            place = next(place)
        }
        return places
    }

    private static func next<Place: ResourcePlace>(_ place: Place.Type) -> any ResourcePlace.Type {
        PlaceAfter<Place>.self
    }

    /// A place for each resource.
    static var ofResources: [any ResourcePlace.Type] { first(CommandLineTool.resources.count) }

    /// A place for each list of a resource.
    static var ofLists: [any ResourcePlace.Type] { first(ResourceList.all.count) }
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

    /// `repos`, or with the name of the list, `org-repos`; where the resource's noun needs its source, this does, too:
    /// `github.org-repos`.
    var word: String {
        guard list.name != nil else { return resource.noun }
        return resource.noun.dropLast(resource.declaration.name.count) + bareWord
    }

    /// The word without its source.
    var bareWord: String {
        list.name.map { "\($0)-\(resource.declaration.name)" } ?? resource.declaration.name
    }

    /// What a person gives to say which list: the handle of the row that it belongs to, then its own arguments.
    var arguments: [HandleWord] {
        let parent = CommandLineTool.declared.parent(of: resource).map { HandleWord($0.declaration) }
        return (parent.map { [$0] } ?? []) + list.template.arguments.map { HandleWord([$0]) }
    }
}

extension DeclaredResource {
    /// What one row is called that lists of this resource belong to.
    var parentNoun: String {
        CommandLineTool.declared.parent(of: self)?.declaration.singular ?? declaration.parent ?? "row"
    }
}

/// What names a row or answers a list's argument, as people type it.
struct HandleWord {
    /// `owner` and `name` of `owner/name`.
    let parts: [String]

    init(_ parts: [String]) { self.parts = parts.map { $0.lowercased() } }

    /// The handle of a resource's rows.
    init(_ resource: ResourceDeclaration) {
        self.init(resource.handle?.parts ?? resource.key.map { $0.replacing("_", with: "-") })
    }

    /// As help shows it: `owner/name`.
    var text: String { parts.joined(separator: "/") }

    /// Why a word cannot be one; nil when it can.
    func problem(of word: String) -> String? {
        if word.isEmpty { return "the \(text) is empty" }
        guard parts.count > 1 else { return nil }
        let given = word.split(separator: "/", omittingEmptySubsequences: false)
        return given.count == parts.count && given.allSatisfy { !$0.isEmpty }
            ? nil : "\"\(word)\" is not \(text)"
    }
}
