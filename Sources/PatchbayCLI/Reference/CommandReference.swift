package import Patchbay

/// All commands with their options as one page, Docs/Commands.md, generated from the commands' own descriptions.
package struct CommandReference {
    private let root: CommandDescription
    private let common: CommonArguments
    private let resources = CommandLineTool.declared.chosen
    private var sections: [Section] = []

    /// The description of a command, or of the same command of several resources.
    private struct Section {
        /// The command's words, with `RESOURCE` for the resource.
        let words: String
        /// The text with neutral words for the resource, by which sections are recognized as equal.
        let neutral: String
        let text: String
        var names: [String]
    }

    /// Returns the page for a program with these plugins.
    package static func markdown(_ plugins: PluginSet) throws -> String {
        let declared = DeclaredResources(bundledWith: plugins)
        return try CommandLineTool.$declared.withValue(declared) { try markdown }
    }

    static var markdown: String {
        get throws { try CommandReference().page }
    }

    private init() throws {
        root = try CommandDescription(of: PatchbayCommand.self)
        common = CommonArguments(root.leaves.map(\.command))
        addGroup(root, root.name)
        let groups = root.subcommands.filter { group in resources.contains { $0.noun == group.name } }
        for group in groups { addGroup(group, "\(root.name) \(group.name)") }
        for command in root.subcommands {
            let isGroup = groups.contains { $0.name == command.name }
            add(command, "\(root.name) \(command.name)", isDescribed: isGroup)
        }
    }

    private var page: String {
        var page =
            "# Commands\n\nGenerated from the commands' own help by `make pages`; a test keeps it up to date. "
            + "[Options of many commands](#options-of-many-commands) are explained at the end.\n"
        for section in sections {
            page += "\n## \(section.names.map { "`\($0)`" }.joined(separator: ", "))\n"
            page += section.names.count > 1 ? section.neutral : section.text
        }
        page += "\n## Options of many commands\n"
        append(common.all, to: &page)
        return page
    }

    /// Adds a command with its subcommands.
    private mutating func add(_ command: CommandDescription, _ name: String, isDescribed: Bool = false) {
        guard command.isShown, command.name != "help" else { return }
        guard !command.subcommands.isEmpty else { return addLeaf(command, name) }
        if !isDescribed { addGroup(command, name) }
        for subcommand in command.subcommands { add(subcommand, "\(name) \(subcommand.name)") }
    }

    private mutating func addGroup(_ command: CommandDescription, _ name: String) {
        var text = ""
        append(command.abstract, to: &text)
        append(command.discussion, to: &text)
        sections.append(Section(words: name, neutral: text, text: text, names: [name]))
    }

    /// Adds a command without subcommands, unless it differs from that of another resource only in the resource.
    private mutating func addLeaf(_ command: CommandDescription, _ name: String) {
        let own = common.own(command)
        var text = "\n    \(([name] + own.map(\.usage)).joined(separator: " "))\n"
        append(command.abstract, to: &text)
        append(command.discussion, to: &text)
        append(own, to: &text)
        let names = common.names(command).map { "`\($0)`" }
        if !names.isEmpty { text += "\nCommon options: \(names.joined(separator: ", "))\n" }
        let resource = resources.first { name.split(separator: " ").contains($0.noun[...]) }
        let words = resource.map { name.neutral($0) } ?? name
        let neutral = resource.map { text.neutral($0) } ?? text
        if let place = sections.firstIndex(where: { $0.words == words && $0.neutral == neutral }) {
            sections[place].names.append(name)
        } else {
            let place = sections.lastIndex { $0.words == words }.map { $0 + 1 } ?? sections.count
            sections.insert(Section(words: words, neutral: neutral, text: text, names: [name]), at: place)
        }
    }

    /// Appends paragraphs. One with indented lines is an example or a list, whose lines stay as they are.
    private func append(_ text: String, to page: inout String) {
        for paragraph in text.paragraphs {
            if paragraph.contains("\n  ") || paragraph.hasPrefix("  ") {
                page += "\n```\n\(paragraph)\n```\n"
            } else {
                page += "\n\(paragraph.escapedForMarkdown)\n"
            }
        }
    }

    private func append(_ arguments: [ArgumentDescription], to page: inout String) {
        if !arguments.isEmpty { page += "\n" }
        for argument in arguments {
            page += "- `\(argument.term)`: \(argument.meaning.escapedForMarkdown)\n"
        }
    }
}

extension ArgumentDescription {
    /// The names and the value, as in --help.
    fileprivate var term: String {
        let value = "<\(valueName)>"
        return names.isEmpty ? value : names.joined(separator: ", ") + (kind == "flag" ? "" : " " + value)
    }
}

extension String {
    /// The text with neutral words for a resource and its rows.
    fileprivate func neutral(_ resource: DeclaredResource) -> String {
        let (noun, plural) = (resource.noun, resource.declaration.plural)
        let singular = resource.declaration.singular
        let text = ["", "list ", "sync ", "search "].reduce(self) { text, verb in
            text.replacing("patchbay \(verb)\(noun)", with: "patchbay \(verb)RESOURCE")
        }
        .replacing("an \(singular)", with: "a \(singular)")
        // A name of several words is not one of the words below.
        return [(plural, "rows"), (singular, "row")].filter { $0.0.contains(" ") }.reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
        .replacing(words: [plural: "rows", singular: "row"].merging([noun: "rows"]) { word, _ in word })
    }

    /// Replaces whole words, except the parts of a path.
    private func replacing(words: [String: String]) -> String {
        var text = "", word = ""
        for character in self {
            if character.isLetter || character == "-" || character == "/" {
                word.append(character)
            } else {
                text += (words[word] ?? word) + String(character)
                word = ""
            }
        }
        return text + (words[word] ?? word)
    }

    fileprivate var paragraphs: [String] {
        var paragraphs: [[Substring]] = [[]]
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1].append(line) }
        }
        return paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }

    fileprivate var escapedForMarkdown: String {
        split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\<")
    }
}
