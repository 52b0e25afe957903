import ArgumentParser
import Synchronization

/// When to use colours: the value of `--color`.
enum ColourChoice: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// On a terminal, unless an environment variable forbids it; see ``Terminal/allowsColour``.
    case auto
    case always, never
}

/// The options about messages for people, for every command that reports or counts anything.
///
/// They apply to the whole process once the parser has validated them.
struct TerminalOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only rows and errors: no summaries, progress or waits.")
    var quiet = false

    @Option(
        help: "When to use colours; \"auto\": on a terminal, unless NO_COLOR is set or TERM is \"dumb\".")
    var color = ColourChoice.auto

    private static let chosen = Mutex((isQuiet: false, colour: ColourChoice.auto))

    static var isQuiet: Bool { chosen.withLock { $0.isQuiet } }
    static var colour: ColourChoice { chosen.withLock { $0.colour } }

    func validate() { Self.chosen.withLock { $0 = (quiet, color) } }
}
