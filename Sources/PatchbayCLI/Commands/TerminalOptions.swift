import ArgumentParser
import Synchronization

/// When to use colours; the word after `--color`.
enum ColourChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// On a terminal, unless a variable says otherwise; see ``Terminal/allowsColour``.
    case auto
    case always, never
}

/// What a command writes for people; every command that reports or counts anything has these options.
///
/// They hold for the whole process from the moment that the parser has checked them.
struct TerminalOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print rows and errors alone: no summary, no progress, no wait.")
    var quiet = false

    @Option(
        help: "When to use colours; \"auto\" is on a terminal, unless NO_COLOR is set or TERM is \"dumb\".")
    var color = ColourChoice.auto

    private static let chosen = Mutex((isQuiet: false, colour: ColourChoice.auto))

    static var isQuiet: Bool { chosen.withLock { $0.isQuiet } }
    static var colour: ColourChoice { chosen.withLock { $0.colour } }

    func validate() { Self.chosen.withLock { $0 = (quiet, color) } }
}
