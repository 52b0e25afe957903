import ArgumentParser
import PatchbayTerminal

/// `patchbay manual`: prints the manual pages; `make install` installs them for `man`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print a manual page.",
        discussion: """
            To read a page that is not installed:

              patchbay manual | man -l -
              patchbay manual patchbay.conf | man -l -
            """)

    @Argument(help: "The page: patchbay for the command, patchbay.conf for the configuration.")
    var page = Page.command

    func run() throws {
        let text =
            switch page {
            case .command: CommandManual(build: Build()).text
            case .configuration: ConfigurationManual(CommandLineTool.plugins, build: Build()).text
            }
        try StandardStream.output.write(text)
    }

    /// A page, by the name that `man` uses.
    enum Page: String, CaseIterable, ExpressibleByArgument {
        case command = "patchbay"
        case configuration = "patchbay.conf"
    }
}
