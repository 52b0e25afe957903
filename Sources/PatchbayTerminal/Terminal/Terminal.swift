internal import PatchbaySystem
internal import Synchronization

/// The capabilities of the stream that a command writes to.
package struct Terminal: Sendable, Equatable {
    package let isTerminal: Bool
    /// The columns of a line; nil if the stream is not a terminal, so that nothing is cut in a file or a pipe.
    package let width: Int?
    /// Whether to use colours: on a terminal that is not `dumb`, or if `FORCE_COLOR` or `CLICOLOR_FORCE` is set to
    /// anything but `0`; never if `NO_COLOR` is set (no-color.org). Empty variables are ignored, and `--color`
    /// overrides all of them.
    package let allowsColour: Bool
    /// Whether a line can be redrawn in place, as progress bars are: on a terminal that is not `dumb`.
    package let allowsRedrawing: Bool

    /// Queries the system each time, because people resize their windows.
    package static var output: Terminal { Terminal(.output) }
    package static var errors: Terminal { Terminal(.errors) }

    package init(_ stream: StandardStream) {
        self.init(
            isTerminal: Descriptor.isTerminal(stream.descriptor),
            columns: Descriptor.columns(stream.descriptor),
            environment: CurrentProcess.variable, colour: Terminal.chosen.withLock { $0.colour })
    }

    /// - Parameters:
    ///   - columns: The width that the terminal reports; nil if it does not.
    ///   - environment: Returns the value of a variable. `COLUMNS` overrides the reported width, because the user set
    ///     it.
    package init(
        isTerminal: Bool, columns: Int?, environment: (String) -> String?, colour: ColourChoice = .auto
    ) {
        self.isTerminal = isTerminal
        let chosen = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        width = isTerminal ? chosen ?? columns ?? Terminal.usualWidth : nil
        allowsRedrawing = isTerminal && environment("TERM") != "dumb"
        let isForced = ["FORCE_COLOR", "CLICOLOR_FORCE"].contains {
            !["", "0"].contains(environment($0) ?? "")
        }
        let isWelcome = (allowsRedrawing || isForced) && (environment("NO_COLOR") ?? "").isEmpty
        allowsColour = colour == .always || colour == .auto && isWelcome
    }

    private static let usualWidth = 80

    private static let chosen = Mutex((isQuiet: false, colour: ColourChoice.auto))

    /// Sets what the user chose for the whole process.
    ///
    /// - Parameter isQuiet: whether to print only rows and errors: no summaries, progress or waits.
    package static func choose(isQuiet: Bool, colour: ColourChoice) {
        chosen.withLock { $0 = (isQuiet, colour) }
    }

    package static var isQuiet: Bool { chosen.withLock { $0.isQuiet } }
}

/// When to use colours.
package enum ColourChoice: String, CaseIterable, Sendable {
    /// On a terminal, unless an environment variable forbids it; see ``Terminal/allowsColour``.
    case auto
    case always, never
}
