import ArgumentParser
import Patchbay

/// `patchbay users list`, `patchbay repos list OWNER` and so on.
struct ListRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let resource = Place.declaration
        let order = resource.order.map { " in order of \($0.withSpaces)" } ?? ""
        return CommandConfiguration(
            commandName: "list", abstract: "List \(resource.plural)\(order).",
            discussion: """
                Rows go to standard output, their origin and age to standard error. \
                "patchbay sync \(Place.resource.noun)" fetches the complete list.
                """, aliases: ["ls"])
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions

    @Option(
        name: .limit, help: ArgumentHelp("List at most this many rows.", valueName: "count"),
        limits: 1 ... .max, default: CommandLineTool.plugins.words(for: "list.limit"))
    var limit: Int?

    @OptionGroup var ordered: WhenMeaningful<OrderedStretch<Place>>
    @OptionGroup var linked: WhenMeaningful<LinkedStretch<Place>>
    @OptionGroup var arguments: ListArguments<Place>
    @OptionGroup var addition: AdditionOption<Place>
    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run() async throws {
        try format.check(ItemRecords(Place.declaration).names + addition.names)
        let configuration = try options.load(Place.resource)
        let policy = try policy.policy(in: configuration)
        let stretch = try stretch(configuration)
        try await options.withGateway(configuration, policy, requests) { gateway, policy in
            let question = try arguments.question(gateway, after: stretch.after)
            if stretch.isLong { return try await printBatches(of: question, gateway, policy, stretch) }
            let answers = gateway.list(
                question, skipping: stretch.skipped, limit: stretch.limit, maximum: stretch.maximum,
                policy: policy)
            try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                try await page($0.served(), gateway, policy, stretch, $1)
            }
        }
    }

    private func stretch(_ configuration: GatewayConfiguration) throws -> ListStretch {
        let ordered = ordered.options, linked = linked.options
        let limit = try linked?.batch ?? limit ?? configuration.listLimit()
        return ListStretch(
            after: ordered?.after ?? 0, skipped: ((linked?.number ?? 1) - 1) * limit, limit: limit,
            maximum: try ordered?.maximum ?? configuration.listMaximum(), batch: linked?.batch)
    }

    private func page(
        _ answer: Answer<ItemList>, _ gateway: Gateway, _ policy: Policy, _ stretch: ListStretch,
        _ question: SourceQuestion
    ) async throws -> AnswerPage {
        let items = answer.value?.items ?? []
        let added = try await addition.added(
            to: items, in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
        var total = ListTotal(answer, Place.declaration, from: gateway.source)
        total.add(answer)
        return AnswerPage(
            listing: ItemRecords(Place.declaration).list(items, added: added),
            status: try await status(of: total, gateway, stretch))
    }

    /// Prints a list of any length, each batch as soon as it arrives.
    private func printBatches(
        of named: NamedQuestion, _ gateway: Gateway, _ policy: Policy, _ stretch: ListStretch
    ) async throws {
        let batches = gateway.batches(
            of: named, limit: stretch.limit, maximum: stretch.maximum, policy: policy)
        var rows = RowOutput(isPaged: format.isPaged), writer = ListingWriter(RecordWriter(format.chosen))
        var total: ListTotal?
        while true {
            // After Ctrl-C, only stored rows follow.
            let policy = Interruption.isNoted ? .localOnly : policy
            let question = policy == .localOnly ? nil : SourceQuestion(gateway.source.name)
            defer { question?.end() }
            guard let answer = try await next(of: batches, question) else { break }
            let items = answer.value?.items ?? []
            let added = try await addition.added(to: items, in: gateway, policy, question)
            question?.end()
            let listing = ItemRecords(Place.declaration).list(items, added: added)
            try rows.write(writer.bytes(of: format.choosing(listing)))
            total = total ?? ListTotal(answer, Place.declaration, from: gateway.source)
            total?.add(answer)
        }
        guard let total else { return }
        let status = try await status(of: total, gateway, stretch)
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
        of total: ListTotal, _ gateway: Gateway, _ stretch: ListStretch
    ) async throws -> Status {
        var status = total.status
        if ordered.options == nil {
            status.show(
                goesOn: total.last?.goesOn, isPartial: total.last?.isPartial ?? false, limit: stretch.limit,
                total.shortfall)
            if stretch.batch != nil, total.last?.goesOn == true { status.next = stretch.nextBatch }
            if status.mayAskForMore { status.hint = stretch.hint }
        } else {
            status.show(total, limit: stretch.limit)
        }
        if status.count == 0 {
            let any = Query(try gateway.resource(Place.declaration.name).collection, limit: 1)
            status.isStoreEmpty = try await gateway.store.read { try $0.count(any) == 0 }
        }
        if total.last == nil { status.hint = try await sisterHint(gateway) ?? status.hint }
        return status
    }

    /// Returns a hint if another list with the same arguments is stored.
    private func sisterHint(_ gateway: Gateway) async throws -> String? {
        for (name, argument, question) in try arguments.sister(in: gateway) {
            guard await gateway.list(question, limit: 1, policy: .localOnly).ending.value != nil else {
                continue
            }
            return "a list of \(argument.withArticle) of this name is stored: --\(name)"
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

/// The options of a list that is ordered by a field.
struct OrderedStretch<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { Place.declaration.order != nil }

    @Option(help: Place.afterHelp("List"), limits: 0 ... .max)
    var after: Int64 = 0

    @Option(
        help: ArgumentHelp("End the list after this many rows.", valueName: "count"),
        limits: 1 ... .max, default: CommandLineTool.plugins.words(for: "list.maximum"))
    var maximum: Int?
}

extension ResourcePlace {
    /// The help of `--after`, the position at which an ordered list is entered.
    static func afterHelp(_ verb: String) -> ArgumentHelp {
        let order = declaration.order?.withSpaces ?? "key"
        return ArgumentHelp(
            "\(verb) \(declaration.plural) whose \(order) is greater than this.", valueName: order)
    }
}

/// The options of a list whose pages link to each other.
struct LinkedStretch<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { Place.declaration.order == nil }

    @Option(
        help: ArgumentHelp(
            "Split the list into batches of this many rows and list one of them; replaces --limit.",
            valueName: "count"), limits: 1...Limits.pageRows)
    var batch: Int?

    @Option(help: "The number of the batch to list.", limits: 1...Limits.pageRows)
    var number = 1

    func validate() throws {
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
}
