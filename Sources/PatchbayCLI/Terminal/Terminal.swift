/// The capabilities of the stream that a command writes to.
struct Terminal: Sendable, Equatable {
    let isTerminal: Bool
    /// The columns of a line; nil if the stream is not a terminal, so that nothing is cut in a file or a pipe.
    let width: Int?
    /// Whether to use colours: on a terminal that is not `dumb`, or if `FORCE_COLOR` or `CLICOLOR_FORCE` is set to
    /// anything but `0`; never if `NO_COLOR` is set (no-color.org). Empty variables are ignored, and `--color`
    /// overrides all of them.
    let allowsColour: Bool
    /// Whether a line can be redrawn in place, as progress bars are: on a terminal that is not `dumb`.
    let allowsRedrawing: Bool

    /// Queries the system each time, because people resize their windows.
    static var output: Terminal { Terminal(.output) }
    static var errors: Terminal { Terminal(.errors) }

    init(_ stream: StandardStream) {
        self.init(
            isTerminal: POSIX.isTerminal(stream.descriptor), columns: POSIX.columns(stream.descriptor),
            environment: POSIX.environment, colour: TerminalOptions.colour)
    }

    /// - Parameters:
    ///   - columns: The width that the terminal reports; nil if it does not.
    ///   - environment: Returns the value of a variable. `COLUMNS` overrides the reported width, because the user set
    ///     it.
    init(
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
}
