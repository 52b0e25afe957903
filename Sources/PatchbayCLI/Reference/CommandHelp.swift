import ArgumentParser

/// The help of a command, as the parser prints it, split into what pages show once and what they show of each command.
struct CommandHelp {
    let name: String
    /// What the command does, and its usage.
    private(set) var overview = ""
    /// Each option, argument or subcommand, with the lines that explain it.
    private(set) var entries: [String] = []
    /// Whether it has no more to say than its abstract, which the help of the command above it has too.
    private let isHeading: Bool

    private init(_ name: String, of command: any ParsableCommand.Type, columns: Int) {
        self.name = name
        let isRoot = command == PatchbayCommand.self
        let configuration = command.configuration
        isHeading = !isRoot && !configuration.subcommands.isEmpty && configuration.discussion.isEmpty
        let text =
            isRoot
            ? PatchbayCommand.helpMessage(columns: columns)
            : PatchbayCommand.helpMessage(for: command, columns: columns)
        var title: Substring?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if ["ARGUMENTS:", "OPTIONS:", "SUBCOMMANDS:"].contains(line) {
                title = line
            } else if title == nil {
                overview += Self.shown(String(line)) + "\n"
            } else if title == "SUBCOMMANDS:", !isRoot {
                // Each has a part of its own.
                continue
            } else if line.hasPrefix("   "), let last = entries.popLast() {
                entries.append(last + "\n" + line)
            } else if line.hasPrefix("  ") {
                entries.append(String(line))
            }
        }
        while overview.hasSuffix("\n") { overview.removeLast() }
    }

    /// Returns a line of the overview; a usage is shown without its options, which are listed below it.
    private static func shown(_ line: String) -> String {
        if line.hasPrefix("OVERVIEW: ") { return String(line.dropFirst("OVERVIEW: ".count)) }
        guard line.hasPrefix("USAGE: ") else { return line }
        let usage = String(line.dropFirst("USAGE: ".count))
        let required = usage.replacing(/\ \[-[^\]]*\]/, with: "")
        return required == usage ? usage : required + " [<options>]"
    }

    /// Returns the text about each shown command that has more than an abstract and subcommands, in the order of the
    /// help, the root first, and the entries that several commands have, which are left out of the texts.
    static func texts(columns: Int) -> (commands: [(name: String, text: String)], common: String) {
        let all = all(columns: columns)
        var counts: [String: Int] = [:]
        for entry in all.dropFirst().flatMap(\.entries) { counts[entry, default: 0] += 1 }
        let common = counts.filter { $0.value >= commandsMin }.keys
        let texts = all.filter { !$0.isHeading }.map { help in
            (
                help.name,
                help.overview + help.entries.filter { !common.contains($0) }.map { "\n" + $0 }.joined()
            )
        }
        return (texts, common.sorted().joined(separator: "\n"))
    }

    private static let commandsMin = 2

    static func all(columns: Int) -> [CommandHelp] { all(PatchbayCommand.self, "patchbay", columns: columns) }

    private static func all(
        _ command: any ParsableCommand.Type, _ name: String, columns: Int
    ) -> [CommandHelp] {
        let below = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        return [CommandHelp(name, of: command, columns: columns)]
            + below.flatMap { all($0, "\(name) \($0.configuration.commandName ?? "")", columns: columns) }
    }
}
