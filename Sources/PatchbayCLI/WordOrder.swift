import ArgumentParser
import Patchbay

/// Puts the first words of a command line into the order that the parser expects: `list users` becomes `users list`,
/// `users sync` becomes `sync users`, and `repositories list` becomes `repos list`.
struct WordOrder {
    /// The subcommands of a resource; other verbs, such as `sync`, are top-level commands.
    private static let verbs: Set<String> = [
        "list", "ls", "show", "view", "browse", "edit", "revert", "watch", "clear", "init", "import",
        "picture", "avatar",
    ]
    /// Top-level commands that take a resource.
    private static let verbCommands: Set<String> = ["search", "sync"]

    private let resources: DeclaredResources

    init(_ resources: DeclaredResources) { self.resources = resources }

    func turned(_ arguments: [String]) -> [String] {
        guard arguments.first == "help" else { return turned(words: arguments) }
        return ["help"] + turned(words: Array(arguments.dropFirst()))
    }

    private func turned(words: [String]) -> [String] {
        guard let first = words.first else { return words }
        if !Self.isCommand(first), let name = name(first) {
            guard let verb = words.dropFirst().first, Self.verbCommands.contains(verb) else {
                return [name] + words.dropFirst()
            }
            return [verb, name] + words.dropFirst(2)
        }
        guard words.count > 1 else { return words }
        if Self.verbCommands.contains(first), let list = list(words[1]) {
            return [first, list] + words.dropFirst(2)
        }
        guard let name = name(words[1]) else { return words }
        if Self.verbs.contains(first) { return [name, first] + words.dropFirst(2) }
        return Self.verbCommands.contains(first) ? [first, name] + words.dropFirst(2) : words
    }

    private static func isCommand(_ word: String) -> Bool {
        word == "help" || verbs.contains(word) || PatchbayCommand.hasCommand(word)
    }

    /// Returns why a resource must not have a name; nil for a name that it may have.
    static func refusal(ofName name: String) -> String? {
        guard isCommand(name) else { return nil }
        return "is a command of patchbay; give the resource another name, such as \(name)-rows"
    }

    /// - Throws: `invalidConfiguration` for the first resource with the name of a command.
    static func checkNames(_ resources: [DeclaredResource]) throws {
        for name in resources.lazy.map(\.declaration.name.withHyphens) {
            guard let reason = refusal(ofName: name) else { continue }
            throw PatchbayError(.invalidConfiguration, "\(name): \(reason)")
        }
    }

    /// Returns whether a command line may name a resource that is not among these, because an unknown word is in the
    /// place of a resource. `manual` leaves it open too, because it covers all resources.
    func leavesOpen(_ arguments: [String]) -> Bool {
        var words = arguments.drop { $0 == "help" }
        guard let first = words.popFirst(), !first.hasPrefix("-") else { return false }
        if isResource(first) { return false }
        if !Self.verbs.contains(first), !Self.verbCommands.contains(first) {
            return !PatchbayCommand.hasCommand(first) || first == ManualCommand._commandName
        }
        guard let second = words.first, !second.hasPrefix("-") else { return false }
        return !isResource(second)
    }

    /// Returns whether the meaning of a command line depends on the configuration's resources: it names one, or lists
    /// them.
    static func needsResources(_ arguments: [String]) -> Bool {
        let words = arguments.drop { $0 == "help" }
        guard let first = words.first, !first.hasPrefix("-") else { return false }
        if verbCommands.contains(first) {
            let second = words.dropFirst().first
            return !SearchCommand.fixed.contains { command in second.map(command.answers) == true }
        }
        return !PatchbayCommand.hasCommand(first) || ResourcesCommand.answers(to: first)
            || FavouritesCommand.answers(to: first)
    }

    /// Returns whether the command reports what the sources are, so that a source that cannot be opened is a fault.
    static func reportsSources(_ arguments: [String]) -> Bool {
        guard let first = arguments.first else { return false }
        return ResourcesCommand.answers(to: first)
            || ConfigCommand.answers(to: first)
                && arguments.dropFirst().first.map(ConfigCommand.Check.answers) == true
    }

    /// Returns a message when the command line names a resource that several sources have, without naming the source;
    /// nil when the resource is clear or none is named.
    func ambiguity(in arguments: [String]) -> String? {
        let words = arguments.drop { $0 == "help" }
        guard let first = words.first else { return nil }
        var word = first
        if let second = words.dropFirst().first, Self.verbs.union(Self.verbCommands).contains(first) {
            word = second
        }
        guard !PatchbayCommand.hasCommand(word) else { return nil }
        return resources.ambiguity(of: word, lists(word).map(\.word))
    }

    /// Returns whether the word names a resource or one of its lists.
    private func isResource(_ word: String) -> Bool {
        !resources.meant(by: word).isEmpty || !lists(word).isEmpty
    }

    /// Returns the noun of the only resource that the word names, by its name, singular or plural.
    private func name(_ word: String) -> String? {
        let meant = resources.meant(by: word)
        return meant.count == 1 ? meant[0].noun : nil
    }

    /// Returns the full word of the only named list that the word matches.
    private func list(_ word: String) -> String? {
        let meant = lists(word)
        return meant.count == 1 ? meant[0].word : nil
    }

    /// Returns the named lists that a word such as `org-repos` matches, with or without the source before it.
    private func lists(_ word: String) -> [ResourceList] {
        let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return resources.all.flatMap { resource in
            resource.declaration.lists.filter { $0.name != nil }.map {
                ResourceList(resource: resource, list: $0)
            }
        }.filter { list in
            guard list.bareWord == parts.last.map(String.init) else { return false }
            return parts.count == 1 || [list.resource.word, list.resource.source].contains(String(parts[0]))
        }
    }
}

extension DeclaredResources {
    /// Returns a message when several resources match the word; nil otherwise.
    ///
    /// - Parameter others: other nouns that the word matches, such as lists.
    func ambiguity(of word: String, _ others: [String] = []) -> String? {
        let nouns = meant(by: word).map(\.noun) + others
        return nouns.count < 2
            ? nil : "several sources have \"\(word)\"; write \(nouns.joined(separator: " or "))"
    }
}

/// The resources of the configuration that a command line selects, read before the parser runs because they determine
/// which commands exist.
struct ArgumentResources {
    let resources: DeclaredResources
    /// The configuration file; nil when it could not be read.
    private(set) var file: GatewayConfiguration.Found?
    /// The faults that kept them from being read, ``resources`` then being those of an empty configuration, and those
    /// of sources that cannot be opened.
    let faults: [PatchbayError]

    init(_ arguments: [String]) async {
        let plugins = CommandLineTool.plugins
        do {
            let found = try CommandLineTool.found(
                named: ArgumentResources.values(of: "--config", in: arguments).last)
            file = found
            let (configuration, wrong) = GatewayConfiguration.reading(
                found, plugins: plugins, flags: ArgumentResources.flags(in: arguments))
            do {
                let declared = try await DeclaredResources(configuration) { chosen in
                    WordOrder(chosen).leavesOpen(arguments)
                }
                try WordOrder.checkNames(declared.chosen)
                resources = declared
                let needsSources =
                    WordOrder(declared).leavesOpen(arguments) || WordOrder.reportsSources(arguments)
                faults = needsSources ? await configuration.sourceFaults() : []
            } catch {
                // Bundled resources need no file, so this cannot fail the same way.
                resources = DeclaredResources(bundledWith: plugins)
                // `config check` lists the faults of the configuration itself.
                let all =
                    wrong.isEmpty
                    ? configuration.definitionFaults(refusing: WordOrder.refusal(ofName:)) : [wrong[0]]
                faults = all.isEmpty ? [error as? PatchbayError].compactMap(\.self) : all
            }
        } catch {
            resources = DeclaredResources(bundledWith: plugins)
            faults = [error as? PatchbayError].compactMap { $0 }
        }
    }

    private static func flags(in arguments: [String]) -> [GatewayConfiguration.Flag] {
        let assignments = values(of: "--set", in: arguments).compactMap {
            GatewayConfiguration.Flag(assignment: $0)
        }
        let sources = values(of: "--source", in: arguments).suffix(1)
        return assignments + sources.map { .init("source", $0, name: "--source") }
    }

    /// Returns the values given for an option.
    private static func values(of option: String, in arguments: [String]) -> [String] {
        let words = arguments.prefix { $0 != "--" }
        return words.indices.compactMap { place in
            if words[place].hasPrefix(option + "=") {
                return String(words[place].dropFirst(option.count + 1))
            }
            return words[place] == option && place + 1 < words.endIndex ? words[place + 1] : nil
        }
    }
}
