import ArgumentParser

/// `patchbay manual`: the manual pages, which `make install` puts where `man` finds them.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print a manual page.",
        discussion: """
            To read it where it is not installed:

              patchbay manual | man -l -
              patchbay manual patchbay.conf | man -l -
            """)

    @Argument(help: "The page: patchbay for the command, patchbay.conf for the configuration.")
    var page = Page.command

    func run() throws {
        let text =
            switch page {
            case .command: try CommandManual(build: Build()).text
            case .configuration: ConfigurationManual(CommandLineTool.plugins, build: Build()).text
            }
        try StandardStream.output.write(text)
    }
}

extension ManualCommand {
    /// A page, by the name that `man` finds it by.
    enum Page: String, CaseIterable, ExpressibleByArgument {
        case command = "patchbay"
        case configuration = "patchbay.conf"
    }
}
