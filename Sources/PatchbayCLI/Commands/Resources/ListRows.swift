import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay list users`, `patchbay list repos OWNER` and so on.
struct ListRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the rows of a resource.",
        discussion: """
            Rows go to standard output, their origin and age to standard error. "patchbay sync" fetches complete lists.

              patchbay list users
              patchbay list repos Marlow-Quern --limit 3
              patchbay list repos apple --by org --source github
            """, aliases: ["ls"])

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        name: .limit, help: ArgumentHelp("List at most this many rows.", valueName: "count"),
        limits: 1 ... .max, default: CommandLineTool.plugins.words(for: "list.limit"))
    var limit: Int?

    @OptionGroup var part: StretchOptions
    @OptionGroup var arguments: ListArguments
    @OptionGroup var addition: AdditionOption
    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run(on declared: DeclaredResource) async throws {
        let added = try addition.chosen(of: declared)
        try format.check(ItemRecords(declared.declaration).names + added.names)
        let list = try arguments.list(of: declared)
        let configuration = try options.load(declared)
        let policy = try policy.policy(in: configuration)
        let stretch = try stretch(configuration, declared)
        try await options.withGateway(configuration, policy, requests) { gateway, policy in
            let listing = Answering(
                declared: declared, list: list, addition: added, policy: policy, stretch: stretch)
            let question = try arguments.question(gateway, list, after: stretch.after)
            if stretch.isLong { return try await printBatches(of: question, gateway, listing) }
            let answers = gateway.list(
                question, skipping: stretch.skipped, limit: stretch.limit, maximum: stretch.maximum,
                policy: policy)
            try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                try await page($0.served(), gateway, listing, $1)
            }
        }
    }

    /// What is listed, and how.
    private struct Answering {
        let declared: DeclaredResource
        let list: ResourceList
        let addition: ChosenAddition
        let policy: Policy
        let stretch: ListStretch

        var declaration: ResourceDeclaration { declared.declaration }
    }

    private func stretch(
        _ configuration: GatewayConfiguration, _ declared: DeclaredResource
    ) throws -> ListStretch {
        try part.check(declared)
        let limit = try part.batch ?? limit ?? configuration.listLimit()
        return ListStretch(
            after: part.after ?? 0, skipped: ((part.number ?? 1) - 1) * limit, limit: limit,
            maximum: try part.maximum ?? configuration.listMaximum(), batch: part.batch)
    }

    private func page(
        _ answer: Answer<ItemList>, _ gateway: Gateway, _ listing: Answering, _ question: SourceQuestion
    ) async throws -> AnswerPage {
        let items = answer.value?.items ?? []
        let added = try await listing.addition.added(
            to: items, in: gateway, answer.outcome.isEnding ? listing.policy : .localOnly, question)
        let list = ListSummary(answer, limit: listing.stretch.limit)
        return AnswerPage(
            listing: ItemRecords(listing.declaration).list(items, added: added),
            status: try await status(of: list, gateway, listing),
            losses: answer.value?.drift.losses ?? [])
    }

    /// Prints a list of any length, each batch as soon as it arrives.
    private func printBatches(
        of named: NamedQuestion, _ gateway: Gateway, _ listed: Answering
    ) async throws {
        let batches = gateway.batches(
            of: named, limit: listed.stretch.limit, maximum: listed.stretch.maximum, policy: listed.policy)
        var rows = RowOutput(isPaged: format.isPaged), writer = ListingWriter(RecordWriter(format.chosen))
        var list: ListSummary?, drift = Drift()
        while true {
            // After Ctrl-C, only stored rows follow.
            let policy = Interruption.isNoted ? .localOnly : listed.policy
            let question = policy == .localOnly ? nil : SourceQuestion(gateway.source.name)
            defer { question?.end() }
            guard let answer = try await next(of: batches, question) else { break }
            let items = answer.value?.items ?? []
            let added = try await listed.addition.added(to: items, in: gateway, policy, question)
            question?.end()
            let listing = ItemRecords(listed.declaration).list(items, added: added)
            try rows.write(writer.bytes(of: format.choosing(listing)))
            if list == nil {
                list = ListSummary(answer, limit: listed.stretch.limit)
            } else {
                list?.add(answer)
            }
            drift += answer.value?.drift ?? Drift()
        }
        for line in drift.losses { Message.write(line) }
        guard let list else { return }
        let status = try await status(of: list, gateway, listed)
        try rows.write(writer.end(answer: status.record))
        try rows.finish()
        try verdict.conclude(status)
    }

    /// - Throws: the error of a failure without rows to show.
    private func next(of batches: ItemBatches, _ question: SourceQuestion?) async throws -> Answer<ItemList>?
    {
        if Pager.isRunning, Interruption.isNoted { throw Interruption.Noted() }
        guard let question else {
            let rest = Task { await batches.next() }
            // In a cancelled task, the batches request no further page.
            if Interruption.isNoted { rest.cancel() }
            return try await rest.value?.served()
        }
        let answer = try await question.doing { await batches.next() }?.served()
        if let answer { try question.checkInterruption(answer) }
        return answer
    }

    private func status(
        of list: ListSummary, _ gateway: Gateway, _ listed: Answering
    ) async throws -> Status {
        var status = Status(list, listed.declaration, listed.stretch, from: gateway.source)
        let resource = try gateway.resource(listed.declaration.name)
        try await status.noteEmptyStore(of: listed.declared, resource, in: gateway)
        if list.last == nil { status.hint = try await sisterHint(gateway, listed.list) ?? status.hint }
        return status
    }

    /// Returns a hint if another list with the same arguments is stored.
    private func sisterHint(_ gateway: Gateway, _ list: ResourceList) async throws -> String? {
        for (name, argument, question) in try arguments.sisters(of: list, in: gateway) {
            guard await gateway.list(question, limit: 1, policy: .localOnly).ending.value != nil else {
                continue
            }
            return "a list of \(argument.withArticle) of this name is stored: --by \(name)"
        }
        return nil
    }
}

/// The part of a list to show.
struct ListStretch {
    let after: Int64
    let skipped: Int
    let limit: Int
    let maximum: Int?
    let batch: Int?

    /// The batch after this one.
    var nextBatch: Int64 { Int64(skipped / limit + 2) }

    /// Whether the rows are printed batch by batch.
    var isLong: Bool { batch == nil && limit > ItemBatches.rowsMax }

    /// The options that show more rows; nil beyond the maximum length of a list.
    var hint: String? {
        guard let batch else {
            return "there are more: --limit \(limit * 2)"
        }
        return Int(nextBatch) * batch > Limits.pageRows
            ? nil : "there are more: --batch \(batch) --number \(nextBatch)"
    }
}

/// The options that select a part of a list.
struct StretchOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "List rows whose order is greater than this; for lists with an order.", valueName: "value"),
        limits: 0 ... .max)
    var after: Int64?

    @Option(
        help: ArgumentHelp(
            "End the list after this many rows; for lists with an order.", valueName: "count"),
        limits: 1 ... .max, default: CommandLineTool.plugins.words(for: "list.maximum"))
    var maximum: Int?

    @Option(
        help: ArgumentHelp(
            """
            Split the list into batches of this many rows and list one of them; replaces --limit. For lists without \
            an order.
            """, valueName: "count"), limits: 1...Limits.pageRows)
    var batch: Int?

    @Option(help: "The number of the batch to list.", limits: 1...Limits.pageRows)
    var number: Int?

    func validate() throws {
        guard let number else { return }
        guard number == 1 || batch != nil else {
            throw ValidationError("--number \(number) needs --batch, the number of rows in a batch")
        }
        let last = Limits.pageRows / (batch ?? 1)
        guard (1...last).contains(number) else {
            throw ValidationError(
                "--number \(number) is not from 1 to \(last), because only the first \(Limits.pageRows) rows of "
                    + "a list can be shown in batches")
        }
    }

    /// - Throws: `ValidationError` for an option that lists of the resource do not have.
    func check(_ declared: DeclaredResource) throws {
        let hasOrder = declared.declaration.order != nil
        let given =
            hasOrder
            ? [("--batch", batch != nil), ("--number", number != nil)]
            : [("--after", after != nil), ("--maximum", maximum != nil)]
        guard let wrong = given.first(where: \.1)?.0 else { return }
        throw ValidationError(
            "\(wrong) is for lists \(hasOrder ? "without" : "with") an order; \(declared.noun) "
                + (hasOrder ? "have one" : "have none"))
    }
}
