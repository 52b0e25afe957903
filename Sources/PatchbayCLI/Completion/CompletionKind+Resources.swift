import ArgumentParser
import Patchbay
import PatchbayTerminal

/// Completions that depend on the configured definition.
extension CompletionKind {
    static var resources: CompletionKind {
        .custom { words, _, _ in await TypedLine(words).declared.chosen.map(\.noun) }
    }

    static var views: CompletionKind {
        .custom { words, _, _ in await TypedLine(words).resource?.lists.compactMap(\.name) ?? [] }
    }

    static var editableFields: CompletionKind {
        .custom { words, _, _ in await TypedLine(words).resource?.editable ?? [] }
    }

    /// `name=`, for a text to follow.
    static var edits: CompletionKind {
        .custom { words, _, _ in await TypedLine(words).resource?.editable.map { $0 + "=" } ?? [] }
    }

    /// The words of `--with`.
    static var additions: CompletionKind {
        .custom { words, _, _ in
            await [Addition.favourite] + TypedLine(words).children
        }
    }

    /// The names of the children of a row.
    static var children: CompletionKind { .custom { words, _, _ in await TypedLine(words).children } }

    /// The handles of stored rows.
    static var handles: CompletionKind {
        .custom { words, _, typed in await TypedLine(words).handles(beginning: typed) }
    }
}

/// The words of a line that may be incomplete.
struct TypedLine {
    /// More would not help and takes time.
    private static let handlesMax = 200

    let declared: DeclaredResources
    private let options: ConfigurationOptions
    private let words: [String]

    init(_ words: [String]) async {
        self.words = words
        // An incomplete line is completed with the configuration of the options that can be read.
        options = TypedLine.options(in: words)
        declared = await ConfiguredResources(options).resources
    }

    private static func options(in words: [String]) -> ConfigurationOptions {
        let names = ["--config", "--source", "--storage", "--set"]
        let given = words.indices.dropLast().filter { names.contains(words[$0]) }
            .flatMap { [words[$0], words[$0 + 1]] }
        // A value that is not valid yet is left out, like the others.
        return (try? ConfigurationOptions.parse(given)) ?? (try? ConfigurationOptions.parse([]))!
    }

    /// The first resource that a word after the verb names. A resource may have the name of a verb.
    var chosen: DeclaredResource? {
        let isGroup = words.dropFirst().first == FavouritesCommand.configuration.commandName
        return words.dropFirst(isGroup ? 3 : 2).lazy.compactMap { declared.meant(by: $0).first }.first
    }

    var resource: ResourceDeclaration? { chosen?.declaration }

    /// The names of the resources whose lists belong to a row of the chosen one.
    var children: [String] { chosen.map { declared.children(of: $0).map(\.declaration.name) } ?? [] }

    func handles(beginning typed: String) async -> [String] {
        guard let chosen else { return [] }
        // Without a storage, or with one that cannot be read, nothing is offered.
        let found = try? await options.withGateway(of: chosen, isOffline: true, isQuiet: true) { gateway in
            let resource = try gateway.resource(chosen.declaration.name)
            guard typed.isEmpty else {
                return try await gateway.matches(resource, typed, limit: Self.handlesMax).items.map(\.handle)
            }
            let query = Query(resource.collection, limit: Self.handlesMax)
            return try await gateway.store.read { try $0.items(query, of: resource) }.map(\.handle)
        }
        return found?.filter { $0.hasPrefix(typed) } ?? []
    }
}
