import ArgumentParser
import Patchbay

/// `patchbay users browse`.
struct BrowseRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let resource = Place.declaration
        let order = resource.order.map { "g goes to \($0.withSpaces.withArticle), " } ?? ""
        let edit = resource.editable.isEmpty ? "" : "e edits, "
        return CommandConfiguration(
            commandName: "browse",
            abstract: "Browse the \(resource.plural) in full screen.",
            discussion: """
                Keys: arrows, PageUp, PageDown, Home, End; Enter shows \(resource.singular.withArticle), \
                Esc goes back, \(order)/ \
                filters stored rows while you type, s changes the order, \(edit)f marks a favourite, r refreshes from \
                the source, ? lists all keys, q quits.

                At most five screens of the list are kept in memory. Scrolling down fetches rows that are not stored; \
                scrolling up never queries the source. Filters and other orders show only stored rows; an order \
                shows at most \(Limits.pageRows) of them.
                """)
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var arguments: ListArguments<Place>

    @Flag(help: "Show stored data only; the source is not opened.")
    var offline = false

    @OptionGroup var start: WhenMeaningful<BrowseStart<Place>>

    @Option(
        help: ArgumentHelp("End the list after this many rows.", valueName: "count"),
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
            of: Place.resource, isOffline: offline, access: .writing, requests, isQuiet: true
        ) { gateway in
            let size = POSIX.size(1) ?? ScreenSize(columns: 80, rows: 24)
            let resource = try gateway.resource(Place.declaration.name)
            let browser = Browser(
                of: resource, source: gateway.source.name, isOffline: offline,
                orders: try arguments.question(gateway, after: 0).orders, size: size)
            let inbox = try BrowserInbox()
            let work = try BrowserWork(
                gateway, resource, inbox, size: browser.windowSize, maximum: maximum, isOffline: offline
            ) { try arguments.question(gateway, after: $0) }
            defer { work.cancel() }
            work.start(after: start.options?.after ?? 0)
            let terminal = BrowserTerminal(inbox, allowsColour: Terminal.output.allowsColour)
            try await terminal.run(browser, requests: { gateway.source.requests?().sent }) {
                work.start($0)
            }
        }
    }
}

/// `--after`: the position at which a browser enters an ordered list.
struct BrowseStart<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { Place.declaration.order != nil }

    @Option(help: Place.afterHelp("Start with"), limits: 0 ... .max)
    var after: Int64 = 0
}
