import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What every search takes.
struct SearchOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        name: .limit,
        help: ArgumentHelp(
            "Show this many; with those of the pages before at most \(Limits.pageRows).",
            valueName: "count"), limits: 1...Limits.pageRows)
    var limit = 20

    @Option(help: ArgumentHelp("Show this page.", valueName: "number"), limits: 1...Limits.pageRows)
    var page = 1

    @Flag(
        help: """
            Search while typing: keystrokes on a terminal, else the lines of standard input. Return searches at once, \
            Ctrl-D ends.
            """)
    var interactive = false

    @Flag(
        help: """
            Fetch all results first. A search with more than the source gives for one query is split where the \
            definition says how.
            """)
    var all = false

    @Option(
        help: ArgumentHelp(
            "Let a text stay unchanged for this long before it is searched.", valueName: "milliseconds"),
        limits: 0...60_000, default: CommandLineTool.plugins.words(for: "search.debounce-milliseconds"))
    var debounce: Int?

    @Argument(
        help: ArgumentHelp("What to find, in the source's words: \"location:Berlin\".", valueName: "text"))
    var text: String?

    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    /// How long a text stays unchanged; nil leaves it to the setting.
    var delay: Duration? { debounce.map { .milliseconds($0) } }

    func validate() throws {
        guard page <= Limits.pageRows / limit else {
            throw ValidationError("--page \(page) is not from 1 to \(Limits.pageRows / limit)")
        }
        if interactive {
            guard text == nil, page == 1, !all else {
                throw ValidationError(
                    "--interactive reads the text from standard input, and shows first pages only")
            }
        } else {
            guard text != nil else { throw ValidationError("the text to search for is missing") }
            guard debounce == nil else { throw ValidationError("--debounce goes with --interactive") }
        }
    }

    func withGateway<Result>(
        of resource: DeclaredResource, _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        // Searches are noted, also those of what is stored.
        try await options.withGateway(
            of: resource, policy, access: .writing, requests, isQuiet: interactive, body)
    }
}
