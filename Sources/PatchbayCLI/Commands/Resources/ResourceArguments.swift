import ArgumentParser
import Patchbay

/// The handle of a row.
struct HandleArgument<Place: ResourcePlace>: ParsableArguments {
    @Argument(help: Self.help) var handle: String

    private static var help: ArgumentHelp {
        let word = HandleWord(Place.declaration)
        let isText = Place.declaration.handle.map { handle in
            Place.declaration.fields.contains { $0.name == handle.field && $0.type == .text }
        }
        let note = isText == true && word.parts.count == 1 ? "; case does not matter" : ""
        return ArgumentHelp(
            "The \(Place.declaration.singular)'s \(word.text)\(note).", valueName: word.text)
    }

    func validate() throws {
        if let problem = HandleWord(Place.declaration).problem(of: handle) { throw ValidationError(problem) }
    }
}

/// The arguments that select a list of a resource: its name, and the values that its address needs.
struct ListArguments<Place: ResourcePlace>: DeclaredArguments {
    /// The name of the list; nil for the unnamed one.
    private(set) var list: String?
    private(set) var words: [String] = []
    private var views: [String] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        for (number, argument) in Self.arguments.enumerated() {
            let key = OptionWord("argument\(number)")
            if argument.isRequired {
                words.append(try container.decode(Argument<String>.self, forKey: key).wrappedValue)
            } else if let word = try container.decode(Argument<String?>.self, forKey: key).wrappedValue {
                words.append(word)
            }
        }
        for view in Self.views
        where try container.decode(Flag<Bool>.self, forKey: OptionWord("view-" + view)).wrappedValue {
            views.append(view)
        }
        list = views.first
    }

    static var declared: [(word: String, option: Any)] {
        let arguments = arguments.enumerated().map { number, argument in
            let help = ArgumentHelp(argument.help, valueName: argument.word.text)
            let option: Any =
                argument.isRequired ? Argument<String>(help: help) : Argument<String?>(help: help)
            return (word: "argument\(number)", option: option)
        }
        let flags = views.map { view in
            let help = ArgumentHelp("Use the list \"\(view)\": \(Self.list(view).list.template).")
            let option: Any = Flag<Bool>(wrappedValue: false, name: .customLong(view), help: help)
            return (word: "view-" + view, option: option)
        }
        return arguments + flags
    }

    func validate() throws {
        if views.count > 1 {
            throw ValidationError(
                views.map { "--" + $0 }.joined(separator: " and ") + " cannot be used together")
        }
        let wanted = Self.list(list).arguments
        if let missing = wanted.dropFirst(words.count).first {
            throw ValidationError("missing expected argument '<\(missing.text)>'")
        }
        if words.count > wanted.count {
            throw ValidationError("unexpected argument '\(words[wanted.count])'")
        }
        for (word, wanted) in zip(words, wanted) {
            if let problem = wanted.problem(of: word) { throw ValidationError(problem) }
        }
    }

    /// Returns the question for the selected list.
    func question(_ gateway: Gateway, after: Int64 = 0) throws -> NamedQuestion {
        let resource = try gateway.resource(Place.declaration.name)
        return try gateway.question(resource, list: list, arguments: words, after: after)
    }

    /// Returns the resource's other lists that take the same arguments.
    func sister(in gateway: Gateway) throws -> [(name: String, argument: String, question: NamedQuestion)] {
        let resource = try gateway.resource(Place.declaration.name)
        return try Place.declaration.lists.compactMap { other in
            let arguments = ResourceList(resource: Place.resource, list: other).arguments
            guard let name = other.name, name != list, !words.isEmpty, arguments.count == words.count else {
                return nil
            }
            let question = try gateway.question(resource, list: name, arguments: words)
            return (name, arguments[0].text, question)
        }
    }

    private static var views: [String] { Place.declaration.lists.compactMap(\.name) }

    private static func list(_ name: String?) -> ResourceList {
        let lists = Place.declaration.lists
        let list = lists.first { $0.name == name } ?? lists[0]
        return ResourceList(resource: Place.resource, list: list)
    }

    /// The arguments of all lists, by position.
    private static var arguments: [(word: HandleWord, help: String, isRequired: Bool)] {
        let all = Place.declaration.lists.map {
            ResourceList(resource: Place.resource, list: $0).arguments
        }
        let least = all.map(\.count).min() ?? 0
        let longest = all.max { $0.count < $1.count } ?? []
        let first = all.first ?? []
        return longest.enumerated().map { number, word in
            let word = number < first.count ? first[number] : word
            let isParent = number == 0 && Place.declaration.parent != nil
            let parent = CommandLineTool.declared.parent(of: Place.resource)?.declaration
            let help = isParent ? "The \(parent?.singular ?? word.text)." : "The \(word.text)'s name or id."
            return (word, help, number < least)
        }
    }
}
