import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay users list`, `patchbay repos list OWNER` and so on.
struct ListRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let resource = Place.declaration
        let order = resource.order.map { " in the order of their \($0.replacing("_", with: " "))" } ?? ""
        return CommandConfiguration(
            commandName: "list", abstract: "List \(resource.plural)\(order).",
            discussion: """
                Rows go to standard output; where they come from and how old they are, to standard error. \
                "patchbay sync \(resource.name)" fetches all of them.
                """, aliases: ["ls"])
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var ordered: When<IsOrdered<Place>, OrderedStretch<Place>>
    @OptionGroup var linked: When<IsLinked<Place>, LinkedStretch>
    @OptionGroup var arguments: ListArguments<Place>
    @OptionGroup var addition: AdditionOption<Place>
    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run() async throws {
        try format.check(ItemOutput(Place.declaration).names + addition.names)
        let configuration = try options.load()
        let policy = try policy.policy(in: configuration)
        let stretch = try stretch(configuration)
        try await options.withGateway(configuration, policy, requests, isQuiet: verdict.quiet) { gateway in
            let question = try arguments.question(gateway, after: stretch.after)
            let answers = gateway.list(
                question, skipping: stretch.skipped, limit: stretch.limit, maximum: stretch.maximum,
                policy: policy)
            try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                try await page($0.served(), gateway, policy, stretch, $1)
            }
        }
    }

    private func stretch(_ configuration: GatewayConfiguration) throws -> ListStretch {
        if let ordered = ordered.options { return try ordered.stretch(configuration) }
        guard let linked = linked.options else { return ListStretch(limit: try configuration.listLimit()) }
        return try linked.stretch(configuration)
    }

    private func page(
        _ answer: Answer<ItemList>, _ gateway: Gateway, _ policy: Policy, _ stretch: ListStretch,
        _ question: SourceQuestion
    ) async throws -> AnswerPage {
        let items = answer.value?.items ?? []
        let added = try await addition.added(
            to: items, in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
        var status = Status(answer, .init(Place.declaration), count: items.count, from: gateway.source.name)
        if ordered.options == nil {
            status.show(
                answer, goesOn: answer.value?.goesOn, isPartial: answer.value?.isPartial ?? false,
                limit: stretch.limit)
            if stretch.batch != nil, status.goesOn == true { status.next = stretch.nextBatch }
            if status.mayAskForMore { status.hint = stretch.hint }
        } else {
            status.show(answer, stretch.limit)
        }
        if items.isEmpty { status.isStoreEmpty = try await isStoreEmpty(gateway) }
        if answer.value == nil { status.hint = try await sisterHint(gateway) ?? status.hint }
        return AnswerPage(
            listing: ItemOutput(Place.declaration).list(items, added: added), status: status)
    }

    private func isStoreEmpty(_ gateway: Gateway) async throws -> Bool {
        try await gateway.isEmpty(try gateway.resource(Place.declaration.name).collection)
    }

    /// That another list of the same words is stored.
    private func sisterHint(_ gateway: Gateway) async throws -> String? {
        for (name, argument, question) in try arguments.sister(in: gateway) {
            guard await gateway.list(question, limit: 1, policy: .localOnly).ending.value != nil else {
                continue
            }
            return "the list of \(argument.withArticle) of this name is stored: --\(name)"
        }
        return nil
    }
}

/// Which rows of a list are shown.
struct ListStretch {
    var after: Int64 = 0
    var skipped = 0
    var limit: Int
    var maximum: Int?
    var batch: Int?

    /// The batch after this one.
    var nextBatch: Int64 { Int64(skipped / limit + 2) }

    /// How to see more rows; nil when no list is longer.
    var hint: String? {
        guard let batch else {
            return limit < Limits.pageRows
                ? "there are more: --limit \(min(limit * 2, Limits.pageRows))" : nil
        }
        return Int(nextBatch) * batch > Limits.pageRows
            ? nil : "there are more: --batch \(batch) --number \(nextBatch)"
    }
}

/// The options of a list that comes in the order of a field.
struct OrderedStretch<Place: ResourcePlace>: DeclaredArguments {
    private var limit: Int?
    private var after: Int64 = 0
    private var maximum: Int?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        limit = try container.decode(Option<Int?>.self, forKey: OptionWord("limit")).wrappedValue
        after = try container.decode(Option<Int64>.self, forKey: OptionWord("after")).wrappedValue
        maximum = try container.decode(Option<Int?>.self, forKey: OptionWord("maximum")).wrappedValue
    }

    static var declared: [(word: String, option: Any)] {
        [
            (
                "limit",
                Option<Int?>(
                    help: ArgumentHelp("List this many.", valueName: "count"), limits: 1...Limits.pageRows,
                    default: CommandLineTool.plugins.words(for: "list.limit"))
            ),
            ("after", After<Place>.option("List")),
            (
                "maximum",
                Option<Int?>(
                    help: ArgumentHelp(
                        "Let the list have at most this many from its start.", valueName: "count"),
                    limits: 1...Limits.pageRows, default: CommandLineTool.plugins.words(for: "list.maximum"))
            ),
        ]
    }

    func stretch(_ configuration: GatewayConfiguration) throws -> ListStretch {
        ListStretch(
            after: after, limit: try limit ?? configuration.listLimit(),
            maximum: try maximum ?? configuration.listMaximum())
    }
}

/// `--after`: where an ordered list is entered.
enum After<Place: ResourcePlace> {
    static func option(_ verb: String) -> Option<Int64> {
        let order = Place.declaration.order?.replacing("_", with: " ") ?? "key"
        let help = "\(verb) \(Place.declaration.plural) whose \(order)s are greater."
        return Option<Int64>(
            wrappedValue: 0, help: ArgumentHelp(help, valueName: order), limits: 0 ... .max)
    }
}

/// The options of a list whose pages lead to each other.
struct LinkedStretch: ParsableArguments {
    @Option(
        help: ArgumentHelp("List this many.", valueName: "count"), limits: 1...Limits.pageRows,
        default: CommandLineTool.plugins.words(for: "list.limit"))
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            "Let the list have batches of this many, and list one of them; takes the place of --limit.",
            valueName: "count"), limits: 1...Limits.pageRows)
    var batch: Int?

    @Option(help: "Which batch to list.", limits: 1...Limits.pageRows)
    var number = 1

    func validate() throws {
        guard number == 1 || batch != nil else {
            throw ValidationError("--number \(number) says which batch; say how many it has with --batch")
        }
        let last = Limits.pageRows / (batch ?? 1)
        guard (1...last).contains(number) else {
            throw ValidationError(
                "--number \(number) is not from 1 to \(last): a list is shown up to its row "
                    + "\(Limits.pageRows)")
        }
    }

    func stretch(_ configuration: GatewayConfiguration) throws -> ListStretch {
        let limit = try batch ?? limit ?? configuration.listLimit()
        return ListStretch(
            skipped: (number - 1) * limit, limit: limit, maximum: try configuration.listMaximum(),
            batch: batch)
    }
}

extension Status {
    /// Takes over how an ordered list continues.
    fileprivate mutating func show(_ answer: Answer<ItemList>, _ limit: Int) {
        let list = answer.value
        let gaps = (list?.gaps ?? []).map { "\($0): --after \($0.after)" }
        let hints = gaps + [answer.continuation(limit)].compactMap(\.self)
        hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        goesOn = list.map { $0.next != nil }
        next = list?.next
        isComplete = gaps.isEmpty && (answer.isConfirmed || count == limit || answer.hasEnd)
    }
}

extension Answer where Value == ItemList {
    /// How an ordered list goes on. A stretch that is not full does not lead on: its rest was not fetched.
    fileprivate func continuation(_ limit: Int) -> String? {
        switch state {
        case .limitReached(let maximum): "the limit of \(maximum) is reached"
        case .endOfSource: "the end of the list"
        case .failed, .fetching, .more:
            value.flatMap { list in
                list.items.count < limit && !isConfirmed ? nil : list.next.map { "more: --after \($0)" }
            }
        }
    }

    /// Whether the stretch holds all that there is up to the end of the list.
    fileprivate var hasEnd: Bool {
        switch value?.state {
        case .limitReached, .endOfSource: true
        case .failed, .fetching, .more, nil: false
        }
    }
}
