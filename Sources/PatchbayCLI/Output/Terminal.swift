/// What the place that a command writes to can show.
struct Terminal: Sendable, Equatable {
    let isTerminal: Bool
    /// The columns of a line; nil when it is no terminal, so that nothing is cut in a file or a pipe.
    let width: Int?
    /// Whether colours and progress bars are welcome: on a terminal that is not `dumb`, unless `NO_COLOR` is set
    /// (no-color.org: to anything but the empty text).
    let allowsColour: Bool

    /// Asks the system each time, because people resize their windows.
    static var output: Terminal { Terminal(.output) }
    static var errors: Terminal { Terminal(.errors) }

    init(_ stream: StandardStream) {
        self.init(
            isTerminal: POSIX.isTerminal(stream.descriptor), columns: POSIX.columns(stream.descriptor),
            environment: POSIX.environment)
    }

    /// - Parameters:
    ///   - columns: The width that the terminal reports, if it does.
    ///   - environment: The value of a variable. `COLUMNS` goes before the reported width: somebody chose it.
    init(isTerminal: Bool, columns: Int?, environment: (String) -> String?) {
        self.isTerminal = isTerminal
        let chosen = environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        width = isTerminal ? chosen ?? columns ?? Terminal.usualWidth : nil
        allowsColour = isTerminal && environment("NO_COLOR") ?? "" == "" && environment("TERM") != "dumb"
    }

    private static let usualWidth = 80
}
