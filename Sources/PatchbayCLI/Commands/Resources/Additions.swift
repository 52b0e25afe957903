import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `--with favourite`, `--with commits`.
struct AdditionOption: ParsableArguments {
    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "For each row, also print whether it is a \"favourite\", or its newest child, such as \"commits\".",
            valueName: "what"), completion: .additions)
    var word: String?

    /// Returns what is added to the rows of a resource.
    ///
    /// - Throws: `ValidationError` for a word that names nothing that could be added.
    func chosen(of declared: DeclaredResource) throws -> ChosenAddition {
        let children = CommandLineTool.declared.children(of: declared).map(\.declaration)
        let words = [Addition.favourite] + children.map(\.name)
        if let word, !words.contains(word) {
            throw ValidationError(EditDistance.unknown("addition", word, in: words))
        }
        return ChosenAddition(word: word, child: children.first { $0.name == word })
    }
}

/// What `--with` adds to the rows of a resource.
struct ChosenAddition {
    let word: String?
    let child: ResourceDeclaration?

    /// The names of the added fields.
    var names: [String] {
        switch word {
        case nil: []
        case Addition.favourite: [Addition.favourite]
        case .some: child.map(NewestChildren.names) ?? []
        }
    }

    /// Reads or fetches the data to add; nil when nothing was requested.
    func added(
        to items: [Item], in gateway: Gateway, _ policy: Policy, _ question: SourceQuestion?
    ) async throws -> Addition? {
        if let child {
            let resource = try gateway.resource(child.name)
            let children = try gateway.visibleChildren(resource, policy: policy)
            let newest = { @Sendable in
                await NewestChildren.fetched(resource.declaration, of: items, from: children)
            }
            if let question { return .children(await question.doing(newest)) }
            return .children(await newest())
        }
        return word == nil ? nil : .favourites(try await gateway.favourites(among: items))
    }
}
