import ArgumentParser
import PatchbayCore

/// The manual page patchbay(1): every command with its options, generated from the commands' own help.
struct CommandManual {
    /// As wide as a terminal, less the indentation of a page.
    private static let columns = 72

    private let build: Build

    init(build: Build) { self.build = build }

    var text: String {
        let help = CommandHelp.texts(columns: Self.columns), root = PatchbayCommand.configuration
        var page = ManualText("patchbay", section: 1, build: build)
        page.section("NAME")
        page.line("patchbay \\- \(ManualText.escaped(root.abstract))")
        page.section("SYNOPSIS")
        page.line(
            "\(ManualText.bold("patchbay")) \(ManualText.italic("command")) [\(ManualText.italic("option"))...]"
        )
        page.section("DESCRIPTION")
        page.paragraphs(root.discussion)
        page.section("COMMANDS")
        for command in help.commands.dropFirst() {
            page.subsection(command.name)
            page.example(command.text)
        }
        page.section("SHARED BY SEVERAL COMMANDS")
        page.example(help.common)
        appendStatuses(to: &page)
        appendPlaces(to: &page)
        return page.text
    }

    private func appendStatuses(to page: inout ManualText) {
        page.section("EXIT STATUS")
        page.definition(
            ManualText.bold("0"), "Success, including when stored rows are shown because the source failed.")
        page.definition(ManualText.bold("\(ExitStatus.usage.rawValue)"), "A wrong option or argument.")
        page.definition(
            ManualText.bold("\(ExitStatus.incomplete.rawValue)"),
            "With --strict: rows were printed, but some are missing, or the source did not confirm them.")
        page.definition(
            ManualText.bold("130"),
            "Ctrl-C: the process ended by the signal. A command that waited for a source has printed stored rows."
        )
        for code in PatchbayError.Code.allCases.sorted(by: {
            ExitStatus($0).rawValue < ExitStatus($1).rawValue
        }) {
            let advice = ErrorReference.advice(code).filter { $0 != "`" }
            page.definition(ManualText.bold("\(ExitStatus(code).rawValue)"), "\(code): \(advice)")
        }
    }

    private func appendPlaces(to page: inout ManualText) {
        page.section("ENVIRONMENT")
        for (name, meaning) in CommandManual.variables { page.definition(ManualText.bold(name), meaning) }
        page.section("FILES")
        for (name, meaning) in CommandManual.files { page.definition(ManualText.italic(name), meaning) }
        page.section("SEE ALSO")
        page.line(".BR patchbay.conf (5)")
    }

    private static let variables = [
        ("PATCHBAY_CONFIG", "The configuration file, unless --config is given."),
        (
            "PATCHBAY_STORAGE, PATCHBAY_STORAGE_PATH, ...",
            "Set the configuration key of that name, here storage and storage.path."
        ),
        ("PATCHBAY_LOG", "The file to which one line per request is appended; - is standard error."),
        (
            "PATCHBAY_RECORDINGS",
            "The folder of the bundled recordings, if it is not where it was installed."
        ),
        (
            "PATCHBAY_PAGER, PAGER",
            "The pager for output longer than the screen; less -FRX by default. Empty or cat turns it off."
        ),
        ("NO_COLOR", "If set and not empty, turns colours off, unless --color says otherwise."),
        (
            "FORCE_COLOR, CLICOLOR_FORCE",
            "If set and neither empty nor 0, turns colours on, even in pipes and files."
        ),
        (
            "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME",
            "The folders of configuration, data and state; else ~/.config, ~/.local/share, ~/.local/state."
        ),
    ]

    private static let files = [
        (
            "./patchbay.conf",
            "The configuration, if PATCHBAY_CONFIG is not set; see patchbay config trust."
        ),
        ("$XDG_CONFIG_HOME/patchbay/patchbay.conf", "The configuration, if ./patchbay.conf does not exist."),
        ("$XDG_STATE_HOME/patchbay/trusted", "The consents of patchbay config trust."),
        ("$XDG_STATE_HOME/patchbay/serve-token", "The token that patchbay serve makes without serve.token."),
        (
            "$XDG_DATA_HOME/patchbay/",
            "The folder of storages without storage.path, each named after its source or recording."
        ),
    ]
}
