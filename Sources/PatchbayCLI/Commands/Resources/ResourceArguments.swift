import ArgumentParser
import Patchbay

/// The resource that a verb is about.
struct ResourceArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The resource; \"patchbay resources\" lists them.", valueName: "resource"),
        completion: .resources)
    var name: String
}

/// The handle of a row.
struct HandleArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The row's handle; \"patchbay resources RESOURCE\" shows how it is written.", valueName: "row"),
        completion: .handles)
    var handle: String

    /// Returns the handle.
    ///
    /// - Throws: `ValidationError` when the resource's rows have another handle.
    func checked(_ declared: DeclaredResource) throws -> String {
        let resource = declared.declaration
        // A row without a handle cannot be named unless its key is a single field.
        guard resource.handle != nil || resource.key.count == 1 else {
            throw ValidationError("\(resource.plural) have no handle; list them instead")
        }
        if let problem = HandleWord(resource).problem(of: handle) { throw ValidationError(problem) }
        return handle
    }
}

/// The arguments that select a list of a resource: the values that its address needs, and its view.
struct ListArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "What the list belongs to, such as its owner; \"patchbay resources RESOURCE\" shows what it needs.",
            valueName: "owner"), completion: .handles)
    var words: [String] = []

    @Option(
        name: .customLong("by"),
        help: ArgumentHelp("The view; \"patchbay resources RESOURCE\" lists them.", valueName: "view"),
        completion: .views)
    var view: String?

    /// Returns the list.
    ///
    /// - Throws: `ValidationError` when it does not exist or the words do not fit it.
    func list(of declared: DeclaredResource, mayOmitParent: Bool = false) throws -> ResourceList {
        let list = try named(declared)
        let wanted = list.arguments
        let isOmitted = mayOmitParent && words.isEmpty && (list.hasOnlyParent || list.hasEach)
        if let missing = wanted.dropFirst(words.count).first, !isOmitted {
            let usages = declared.lists.map(\.usage).joined(separator: " or ")
            throw ValidationError("the <\(missing.text)> is missing; write \(usages)")
        }
        if words.count > wanted.count {
            let row = wanted.isEmpty ? "\"patchbay show \(declared.noun) \(words[0])\" shows one row" : nil
            let advice = row ?? "write \(list.usage)"
            throw ValidationError("unexpected argument \"\(words[wanted.count])\"; \(advice)")
        }
        for (word, wanted) in zip(words, wanted) {
            if let problem = wanted.problem(of: word) { throw ValidationError(problem) }
        }
        return list
    }

    private func named(_ declared: DeclaredResource) throws -> ResourceList {
        let lists = declared.declaration.lists
        if let list = lists.first(where: { $0.name == view?.withUnderscores || $0.name == view }) {
            return ResourceList(resource: declared, list: list)
        }
        let names = lists.compactMap(\.name)
        if view == nil, lists.count == 1 { return ResourceList(resource: declared, list: lists[0]) }
        guard let view else {
            throw ValidationError(
                "\(declared.noun) need a view: --by \(names.joined(separator: " or --by "))")
        }
        guard !names.isEmpty else { throw ValidationError("\(declared.noun) have no views") }
        throw ValidationError(EditDistance.unknown("view", view, in: names))
    }

    /// Returns the question for the selected list.
    func question(_ gateway: Gateway, _ list: ResourceList, after: Int64 = 0) throws -> NamedQuestion {
        let resource = try gateway.resource(list.resource.declaration.name)
        return try gateway.question(resource, list: list.list.name, arguments: words, after: after)
    }

    /// Returns the resource's other lists that take the same arguments.
    func sisters(
        of list: ResourceList, in gateway: Gateway
    ) throws -> [(name: String, argument: String, question: NamedQuestion)] {
        let declared = list.resource
        let resource = try gateway.resource(declared.declaration.name)
        return try declared.declaration.lists.compactMap { other in
            let arguments = ResourceList(resource: declared, list: other).arguments
            guard let name = other.name, name != list.list.name, !words.isEmpty,
                arguments.count == words.count
            else { return nil }
            let question = try gateway.question(resource, list: name, arguments: words)
            return (name, arguments[0].text, question)
        }
    }
}

/// A list of a resource that the command line knows.
struct ResourceList {
    let resource: DeclaredResource
    let list: ListDeclaration

    /// The arguments that select the list: the handle of its parent row, then the list's own arguments.
    var arguments: [HandleWord] {
        let parent = CommandLineTool.declared.parent(of: list, resource).map { HandleWord($0.declaration) }
        return (parent.map { [$0] } ?? []) + list.template.arguments.map { HandleWord([$0]) }
    }

    /// Whether the only argument is the parent row.
    var hasOnlyParent: Bool { list.template.parent != nil && arguments.count == 1 }

    /// Whether the definition names the values of its argument, besides the parent row.
    var hasEach: Bool { list.name == nil && resource.declaration.each != nil }

    /// The words after a verb that select the list: `repos <owner> --by org`.
    var usage: String { ([resource.noun] + words).joined(separator: " ") }

    /// The words after the resource that select the list.
    var words: [String] { arguments.map { "<\($0.text)>" } + (list.name.map { ["--by " + $0] } ?? []) }
}

extension DeclaredResource {
    /// The resource that an argument names.
    ///
    /// - Throws: `ValidationError` when the word names no resource or several.
    init(named word: String) throws {
        let declared = CommandLineTool.declared
        let meant = declared.meant(by: word)
        guard meant.count < 2 else {
            let nouns = meant.map(\.noun).joined(separator: " or ")
            throw ValidationError("several sources have \"\(word)\"; write \(nouns)")
        }
        guard let first = meant.first else {
            let names = declared.chosen.map(\.noun)
            throw ValidationError(EditDistance.unknown("resource", word, in: names))
        }
        self = first
    }

    /// The lists, in the order of the definition.
    var lists: [ResourceList] { declaration.lists.map { ResourceList(resource: self, list: $0) } }
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
