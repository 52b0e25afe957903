import ArgumentParser
import Patchbay

/// `patchbay users show LOGIN`.
struct ShowRow<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "show",
            abstract: "Show one \(Place.declaration.singular) with all its fields.",
            aliases: ["view"])
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var row: HandleArgument<Place>
    @OptionGroup var opening: WhenMeaningful<OpenOption<Place>>
    @OptionGroup var addition: AdditionOption<Place>
    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run() async throws {
        try format.check(ItemRecords(Place.declaration).names + addition.names)
        try await options.withGateway(of: Place.resource, policy, requests) { gateway, policy in
            let resource = try gateway.resource(Place.declaration.name)
            let answers = gateway.show(resource, row.handle, policy: policy)
            if opening.options?.open == true { return try await open(answers, gateway) }
            try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                try await page($0.served(), gateway, policy, $1)
            }
        }
    }

    private func page(
        _ answer: Answer<Item>, _ gateway: Gateway, _ policy: Policy, _ question: SourceQuestion
    ) async throws -> AnswerPage {
        let item = try item(answer)
        let added = try await addition.added(
            to: [item], in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
        let listing = ItemRecords(Place.declaration).show(item, added: added)
        var page = AnswerPage(listing: listing, status: status(answer, gateway))
        if case .children(let children) = added, format.chosen == .table, format.names == nil {
            let listing = ItemRecords(children.declaration).list(children.items(of: item))
            let bytes = RecordWriter(.table).bytes(of: listing, answer: OutputRecord([]))
            page.appendix = Array("\n".utf8) + bytes
        }
        return page
    }

    private func open(_ answers: Answers<Item>, _ gateway: Gateway) async throws {
        let question = SourceQuestion(gateway.source.name)
        let answer = try await question.ending(of: answers).served()
        try StandardStream.output.write(try item(answer).openableWebsite().text + "\n")
        try verdict.conclude(status(answer, gateway))
    }

    private func item(_ answer: Answer<Item>) throws -> Item {
        guard let item = answer.value else {
            throw PatchbayError(
                .notFound,
                "\(Place.declaration.singular) \"\(row.handle)\" is not stored; fetch it without --offline")
        }
        return item
    }

    private func status(_ answer: Answer<Item>, _ gateway: Gateway) -> Status {
        var status = Status(answer, .init(Place.declaration), count: 1, from: gateway.source)
        let state = answer.value?.state
        status.isComplete = state?.detailFetchedAt != nil && state?.refusal == nil
        if state?.goneAt == nil, let missing = state?.missingSince {
            status.hint = "a complete list lacked it at \(missing)"
        }
        if let goneAt = state?.goneAt { status.hint = "no longer listed since \(goneAt)" }
        return status
    }
}

/// `--open`: prints the website of a row.
struct OpenOption<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { Place.declaration.website != nil }

    @Flag(
        help: """
            Print only the address of the \(Place.declaration.singular)'s \
            \((Place.declaration.website ?? "website").withSpaces), if it is one that a browser may open \
            (http or https).
            """)
    var open = false
}

extension Item {
    /// Returns the address of the row's website.
    ///
    /// - Throws: `notFound` when it has none; `invalidValue` when a browser should not open it.
    fileprivate func openableWebsite() throws -> WebAddress {
        let name = resource.declaration.website ?? ""
        let website = resource.field(named: name).flatMap { shown($0) }?.description ?? ""
        let word = name.withSpaces
        guard !website.isEmpty else {
            throw PatchbayError(.notFound, "\(resource.singular) \"\(handle)\" has no \(word)")
        }
        guard let address = WebAddress(website) else {
            throw PatchbayError(
                .invalidValue,
                "the \(word) of \(resource.singular) \"\(handle)\" is not an http or https address: \"\(website)\""
            )
        }
        return address
    }
}
