import ArgumentParser
import Patchbay
import PatchbaySystem
import PatchbayTerminal

/// `patchbay browse users`.
struct BrowseRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Browse the rows of a resource in full screen.",
        discussion: """
            Keys: arrows, PageUp, PageDown, Home, End; Enter shows a row, Esc goes back, g goes to a place in an \
            ordered list, / filters stored rows while you type, s changes the order, e edits, f marks a favourite, r \
            refreshes from the source, ? lists all keys, q quits.

            At most five screens of the list are kept in memory. Scrolling down fetches rows that are not stored; \
            scrolling up never queries the source. Filters and other orders show only stored rows; an order shows at \
            most \(Limits.pageRows) of them.

            --ring shows a few rows and turns: once the whole list is stored, its first row follows its last. Below \
            each row is its newest child, such as a commit, which is fetched while the row is on the screen.
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var arguments: ListArguments

    @Flag(help: "Show stored data only; the source is not opened.")
    var offline = false

    @Option(
        help: ArgumentHelp(
            "Start with rows whose order is greater than this; for lists with an order.", valueName: "value"),
        limits: 0 ... .max)
    var after: Int64?

    @Option(
        help: ArgumentHelp("End the list after this many rows.", valueName: "count"),
        limits: 1...Limits.pageRows)
    var maximum: Int?

    @Option(
        help: ArgumentHelp("Show this many rows as a ring, with their newest children.", valueName: "count"),
        limits: 1...VisibleChildren.visibleMax)
    var ring: Int?

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "The children that a ring shows, such as \"commits\"; by default the first kind.",
            valueName: "children"),
        completion: .children)
    var childName: String?

    func validate() throws {
        if childName != nil, ring == nil { throw ValidationError("--with needs --ring") }
        guard !requests.log, CurrentProcess.variable("PATCHBAY_LOG") != "-" else {
            throw ValidationError(
                "the log of requests would be written over the screen; set PATCHBAY_LOG to a file")
        }
    }

    func run(on declared: DeclaredResource) async throws {
        let list = try arguments.list(of: declared)
        if after != nil, declared.declaration.order == nil {
            throw ValidationError("--after is for lists with an order; \(declared.noun) have none")
        }
        let children = try children(of: declared)
        try BrowserTerminal.requireTerminal()
        try await options.withGateway(
            of: declared, isOffline: offline, access: .writing, requests, isQuiet: true
        ) { gateway in
            let size = ScreenSize(of: 1) ?? ScreenSize(columns: 80, rows: 24)
            let resource = try gateway.resource(declared.declaration.name)
            let browser = Browser(
                of: resource, source: gateway.source.name, isOffline: offline,
                orders: try arguments.question(gateway, list).orders, ring: ring, children: children,
                size: size)
            let inbox = try BrowserInbox()
            let work = try BrowserWork(gateway, browser, inbox, maximum: maximum) {
                try arguments.question(gateway, list, after: $0)
            }
            defer { work.cancel() }
            work.start(after: after ?? 0)
            let terminal = BrowserTerminal(inbox, allowsColour: Terminal.output.allowsColour)
            try await terminal.run(browser, requests: { gateway.source.requests?().sent }) {
                work.start($0)
            }
        }
    }

    /// Returns the children that a ring shows; nil if the rows have none.
    private func children(of declared: DeclaredResource) throws -> ResourceDeclaration? {
        guard ring != nil else { return nil }
        let children = CommandLineTool.declared.children(of: declared).map(\.declaration)
        guard let childName else { return children.first }
        guard let chosen = children.first(where: { $0.name == childName }) else {
            throw ValidationError(
                children.isEmpty
                    ? "\(declared.declaration.plural) have no children; leave out --with"
                    : EditDistance.unknown("kind of children", childName, in: children.map(\.name)))
        }
        return chosen
    }
}
