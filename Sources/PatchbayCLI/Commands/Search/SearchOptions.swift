import ArgumentParser
import Patchbay

/// The options and arguments of every search.
struct SearchOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        name: .limit,
        help: ArgumentHelp(
            "Show this many rows per page; pages up to row \(Limits.pageRows) can be shown.",
            valueName: "count"), limits: 1...Limits.pageRows)
    var limit = 20

    @Option(help: ArgumentHelp("Show this page.", valueName: "number"), limits: 1...Limits.pageRows)
    var page = 1

    @Flag(
        help: """
            Search while you type: Return searches at once, Ctrl-D quits. Without a terminal, each line of standard \
            input is the text typed so far; it replaces an earlier one that is not answered yet.
            """)
    var interactive = false

    @Flag(
        help: """
            Fetch all results first. A search with more results than the source returns for one query is split if the \
            definition says how.
            """)
    var all = false

    @Option(
        help: ArgumentHelp(
            "Search once the text has not changed for this long.", valueName: "milliseconds"),
        limits: 0...60_000, default: CommandLineTool.plugins.words(for: "search.debounce-milliseconds"))
    var debounce: Int?

    @Argument(
        help: ArgumentHelp(
            """
            The text to find. A source with a search of its own may have a syntax for it, such as "location:Berlin".
            """, valueName: "text"))
    var text: String?

    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

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
            guard debounce == nil else { throw ValidationError("--debounce needs --interactive") }
        }
    }

    func withGateway<Result>(
        of resource: DeclaredResource, _ body: (Gateway, Policy) async throws -> Result
    ) async throws -> Result {
        // Recent searches are stored, including those of stored rows.
        try await options.withGateway(
            of: resource, policy, access: .writing, requests, isQuiet: interactive, body)
    }
}
