import ArgumentParser

/// The completions of the last word of a command line.
struct Completion {
    /// A possible word and its meaning.
    struct Candidate: Hashable {
        var word: String
        var meaning = ""
    }

    /// The candidates in the order of the help.
    private(set) var candidates: [Candidate] = []
    /// Whether the word is the path of a file, which shells complete themselves.
    private(set) var isFile = false

    /// - Parameter words: the words after `patchbay`; the last one is being typed.
    init(of words: [String]) throws {
        let typed = words.last ?? ""
        let order = WordOrder(CommandLineTool.declared), turned = order.turned(Array(words.dropLast()))
        var words = turned.first == "help" ? turned.dropFirst() : turned[...]
        var command: any ParsableCommand.Type = PatchbayCommand.self
        while let word = words.first,
            let next = command.configuration.subcommands.first(where: { $0.answers(to: word) })
        {
            command = next
            words.removeFirst()
        }
        let configuration = command.configuration
        if words.isEmpty {
            candidates = Self.shown(configuration.subcommands)
        } else if command == PatchbayCommand.self, words.count == 1, let verb = words.first {
            // A resource may also follow its verb.
            candidates = Self.shown(
                configuration.subcommands.filter { resource in
                    order.turned([verb, resource._commandName]).last == verb
                        && resource.configuration.subcommands.contains { $0.answers(to: verb) }
                })
        }
        // A command with subcommands takes the arguments of its default subcommand.
        if configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil {
            try addArguments(of: configuration.defaultSubcommand ?? command, after: words, typed)
        } else {
            candidates.append(Candidate(word: "--help", meaning: "Show help information."))
        }
        if typed.isEmpty { candidates.removeAll { $0.word.hasPrefix("-") } }
        candidates.removeAll { !$0.word.hasPrefix(typed) }
    }

    private static func shown(_ commands: [any ParsableCommand.Type]) -> [Candidate] {
        commands.filter { $0.configuration.shouldDisplay }.map {
            Candidate(word: $0._commandName, meaning: $0.configuration.abstract)
        }
    }

    private mutating func addArguments(
        of command: any ParsableCommand.Type, after words: ArraySlice<String>, _ typed: String
    ) throws {
        let arguments = try CommandDescription(of: command).arguments.filter(\.isShown)
        // The option whose value is the next word.
        var pending: ArgumentDescription?
        var positions = arguments.filter { $0.kind == "positional" }[...]
        for word in words {
            if pending != nil {
                pending = nil
            } else if word.hasPrefix("-") {
                pending = arguments.first { $0.kind == "option" && $0.names.contains(word) }
            } else if positions.first?.isRepeating == false {
                positions.removeFirst()
            }
        }
        if let pending {
            add(pending)
        } else if let equals = typed.firstIndex(of: "="), typed.hasPrefix("-") {
            let name = String(typed[..<equals])
            if let option = arguments.first(where: { $0.names.contains(name) }) { add(option, name + "=") }
        } else {
            if let next = positions.first { add(next) }
            for argument in arguments {
                candidates += argument.names.map { Candidate(word: $0, meaning: argument.help) }
            }
        }
    }

    /// Adds the possible values of an argument.
    private mutating func add(_ argument: ArgumentDescription, _ prefix: String = "") {
        candidates += argument.completions.map { Candidate(word: prefix + $0) }
        isFile = argument.isFile
    }

    /// One line per candidate, with a tab before its meaning; or `:file`.
    var text: String {
        if isFile, candidates.isEmpty { return ":file\n" }
        return candidates.map { candidate in
            let meaning = candidate.meaning.split(whereSeparator: \.isNewline).first ?? ""
            return "\(candidate.word)\(meaning.isEmpty ? "" : "\t")\(meaning)\n"
        }.joined()
    }
}
