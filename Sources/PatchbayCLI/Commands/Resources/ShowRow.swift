import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay show users LOGIN`.
struct ShowRow: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one row with all its fields.",
        discussion: """
              patchbay show users Marlow-Quern
              patchbay show repos Marlow-Quern/almanac --with commits
            """, aliases: ["view"])

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var row: HandleArgument

    @Flag(
        help: """
            Print only the address of the row's website, if it is one that a browser may open (http or https).
            """)
    var open = false

    @OptionGroup var addition: AdditionOption
    @OptionGroup var format: FormatOptions
    @OptionGroup var verdict: VerdictOptions

    func run(on declared: DeclaredResource) async throws {
        let handle = try row.checked(declared), addition = try addition.chosen(of: declared)
        try format.check(ItemRecords(declared.declaration).names + addition.names)
        if open, declared.declaration.website == nil {
            throw ValidationError("\(declared.declaration.plural) have no website to --open")
        }
        try await options.withGateway(of: declared, policy, requests) { gateway, policy in
            let resource = try gateway.resource(declared.declaration.name)
            let answers = gateway.show(resource, handle, policy: policy)
            if open { return try await printWebsite(answers, gateway, declared) }
            try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                try await page($0.served(), gateway, policy, $1, declared, addition)
            }
        }
    }

    private func page(
        _ answer: Answer<Item>, _ gateway: Gateway, _ policy: Policy, _ question: SourceQuestion,
        _ declared: DeclaredResource, _ addition: ChosenAddition
    ) async throws -> AnswerPage {
        let item = try item(answer, declared)
        let added = try await addition.added(
            to: [item], in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
        let listing = ItemRecords(declared.declaration).show(item, added: added)
        var page = AnswerPage(listing: listing, status: status(answer, gateway, declared))
        page.sentence = try await gateway.namesakes(of: try row.checked(declared), item.resource)
        if case .children(let children) = added, format.chosen == .table, format.names == nil {
            let listing = ItemRecords(children.declaration).list(children.items(of: item))
            let bytes = RecordWriter(.table).bytes(of: listing, answer: OutputRecord([]))
            page.appendix = Array("\n".utf8) + bytes
        }
        return page
    }

    private func printWebsite(
        _ answers: Answers<Item>, _ gateway: Gateway, _ declared: DeclaredResource
    ) async throws {
        let question = SourceQuestion(gateway.source.name)
        let answer = try await question.ending(of: answers).served()
        try StandardStream.output.write(try item(answer, declared).openableWebsite().text + "\n")
        try verdict.conclude(status(answer, gateway, declared))
    }

    private func item(_ answer: Answer<Item>, _ declared: DeclaredResource) throws -> Item {
        guard let item = answer.value else {
            throw PatchbayError(
                .notFound,
                "\(declared.declaration.singular) \"\(row.handle)\" is not stored; fetch it without --offline"
            )
        }
        return item
    }

    private func status(
        _ answer: Answer<Item>, _ gateway: Gateway, _ declared: DeclaredResource
    ) -> Status {
        var status = Status(answer, .init(declared.declaration), count: 1, from: gateway.source)
        let state = answer.value?.state
        status.isComplete = state?.detailFetchedAt != nil && state?.refusal == nil
        if let refusal = state?.refusal, state?.detailFetchedAt != nil {
            status.reason =
                "\(refusal.refusal.kind.rawValue) since \(refusal.since); its details are older, and may be those of "
                + "another account"
            status.hint = status.reason
        }
        if state?.goneAt == nil, let missing = state?.missingSince {
            status.hint = "a complete list lacked it at \(missing)"
        }
        if let goneAt = state?.goneAt { status.hint = "no longer listed since \(goneAt)" }
        return status
    }
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
