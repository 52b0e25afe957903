import ArgumentParser
import Patchbay

/// `patchbay sync users`, `patchbay sync org-repos NAME`: fetches one list of a resource.
struct SyncRows<Place: ResourcePlace>: AsyncParsableCommand {
    private static var list: ResourceList { ResourceList.all[Place.number] }

    static var configuration: CommandConfiguration {
        let list = list
        let resource = list.resource.declaration
        let parent = resource.parent == nil ? [] : [list.resource.parentNoun.withArticle]
        let words = list.list.template.arguments.map(\.withArticle)
        let owners = parent + words
        let abstract =
            owners.isEmpty
            ? "Fetch the list of all \(list.list.name.map { $0 + " " } ?? "")\(resource.plural)."
            : "Fetch the \(resource.plural) of \(owners.joined(separator: " and "))."
        let chosen = CommandLineTool.declared.chosen.reduce(0) { $0 + $1.declaration.lists.count }
        return CommandConfiguration(
            commandName: list.word, abstract: abstract, shouldDisplay: Place.number < chosen)
    }

    @OptionGroup var options: SyncOptions
    @OptionGroup var details: WhenMeaningful<DetailsOption<Place>>
    @OptionGroup var arguments: Words

    func run() async throws {
        try await options.run(Self.list.resource) { gateway, start, maximumRequests in
            let resource = try gateway.resource(Self.list.resource.declaration.name)
            guard !arguments.isOfEveryParent else {
                return gateway.syncChildren(
                    resource, list: Self.list.list.name, from: start, maximumRequests: maximumRequests)
            }
            let question = try gateway.question(
                resource, list: Self.list.list.name, arguments: arguments.words)
            return gateway.sync(
                question, from: start, details: details.options?.details == true,
                maximumRequests: maximumRequests)
        }
    }

    /// The arguments of the list.
    struct Words: DeclaredArguments {
        private(set) var words: [String] = []

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: OptionWord.self)
            if Self.mayBeOmitted {
                let word = try container.decode(Argument<String?>.self, forKey: OptionWord("argument0"))
                words = word.wrappedValue.map { [$0] } ?? []
                return
            }
            for (word, _) in Self.declared {
                words.append(
                    try container.decode(Argument<String>.self, forKey: OptionWord(word)).wrappedValue)
            }
        }

        /// Whether the only argument is the parent row, so that leaving it out selects the lists of all parents.
        private static var mayBeOmitted: Bool {
            list.resource.declaration.parent != nil && list.arguments.count == 1
        }

        var isOfEveryParent: Bool { Self.mayBeOmitted && words.isEmpty }

        static var declared: [(word: String, option: Any)] {
            list.arguments.enumerated().map { number, argument in
                let parents = list.resource.declaration.parent ?? ""
                let of = mayBeOmitted ? " of one of the \(parents); all stored ones when left out" : ""
                let help = ArgumentHelp("The \(argument.text)\(of).", valueName: argument.text)
                let option: Any =
                    mayBeOmitted ? Argument<String?>(help: help) : Argument<String>(help: help)
                return ("argument\(number)", option)
            }
        }

        func validate() throws {
            for (word, wanted) in zip(words, list.arguments) {
                if let problem = wanted.problem(of: word) { throw ValidationError(problem) }
            }
        }
    }
}

/// `--details`.
struct DetailsOption<Place: ResourcePlace>: ConditionalOptions {
    /// Whether the details of the list's rows can be fetched.
    static var areMeaningful: Bool { ResourceList.all[Place.number].resource.declaration.show != nil }

    @Flag(help: "Also fetch the details of each row that has none.")
    var details = false
}
