import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension UsersCommand {
    struct Browse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look through the users on the whole terminal.",
            discussion: """
                Keys: arrows, PageUp, PageDown, Home, End; Enter shows a user, Esc goes back, g goes to an id, / \
                searches what is stored, e edits a name, f marks a favourite, r asks the source, ? tells all keys, q \
                quits.

                However far the list is scrolled, five screens of it are kept in memory. Going down asks the source \
                where nothing is stored; going up never does.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var requests: RequestOptions

        @Flag(help: "Show what is stored; do not ask the source, nor open it.")
        var offline = false

        @Option(
            help: ArgumentHelp("Begin with the first user whose id is greater.", valueName: "id"),
            limits: 0 ... .max)
        var after: Int64 = 0

        @Option(
            help: ArgumentHelp("Let the list have at most this many from its start.", valueName: "count"),
            limits: 1...Limits.pageRows)
        var maximum: Int?

        func validate() throws {
            guard !requests.log, POSIX.environment("PATCHBAY_LOG") != "-" else {
                throw ValidationError(
                    "the log of requests would be written over the screen; set PATCHBAY_LOG to a file")
            }
        }

        func run() async throws {
            try BrowserTerminal.requireTerminal()
            try await options.withGateway(
                isOffline: offline, access: .writing, requests, isQuiet: true
            ) { gateway in
                let size = POSIX.size(1) ?? ScreenSize(columns: 80, rows: 24)
                let browser = Browser(source: gateway.source.name, isOffline: offline, size: size)
                let inbox = try BrowserInbox()
                let work = BrowserWork(
                    gateway, inbox, size: browser.windowSize, maximum: maximum, isOffline: offline)
                defer { work.cancel() }
                work.start(after: after)
                let terminal = BrowserTerminal(inbox, allowsColour: Terminal.output.allowsColour)
                try await terminal.run(browser, requests: { gateway.source.requests?().sent }) {
                    work.start($0)
                }
            }
        }
    }
}
