import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay repos`: repositories.
struct RepositoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repos", abstract: "List the repositories of somebody, or show one.",
        subcommands: [List.self, Show.self])
}

extension RepositoriesCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the first repositories of a user or an organization.",
            discussion: """
                With --batch the list comes in batches, and a batch asks the source for nothing but the pages that it \
                lies in. "patchbay sync repos" fetches all of them.
                """, aliases: ["ls"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var window: LimitOption

        @Option(
            help: ArgumentHelp(
                "Let the list have batches of this many, and list one of them; takes the place of --limit.",
                valueName: "count"), limits: 1...Limits.pageRows)
        var batch: Int?

        @Option(help: "Which batch to list.", limits: 1...Limits.pageRows)
        var number = 1

        @Argument(help: "The owner's login.")
        var owner: String

        @Flag(help: "The owner is an organization.")
        var org = false

        @Option(name: .customLong("with"), help: "Tell of each repository its newest \"commits\" as well.")
        var addition: RepositoryAddition?

        @OptionGroup var format: FormatOptions
        @OptionGroup var verdict: VerdictOptions

        func validate() throws {
            guard number == 1 || batch != nil else {
                throw ValidationError("--number \(number) says which batch; say how many it has with --batch")
            }
            let last = Limits.pageRows / limit
            guard (1...last).contains(number) else {
                throw ValidationError(
                    "--number \(number) is not from 1 to \(last): a list is shown up to its row "
                        + "\(Limits.pageRows)")
            }
        }

        private var limit: Int { batch ?? window.limit }

        func run() async throws {
            try format.check(RepositoryOutput.names(withCommits: addition != nil))
            let list = org ? RepositoryList.ofOrganization(owner) : .ofUser(owner)
            try await options.withGateway(policy, requests, isQuiet: verdict.quiet) { gateway, policy in
                let answers = gateway.listRepositories(
                    list, behind: (number - 1) * limit, limit: limit, policy: policy)
                try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                    try await page($0.served(), gateway, policy, $1)
                }
            }
        }

        private func page(
            _ answer: Answer<ListRepositories.Window>, _ gateway: Gateway, _ policy: Policy,
            _ question: SourceQuestion
        ) async throws -> AnswerPage {
            let repositories = answer.value?.repositories ?? []
            let commits = await addition?.commits(
                of: repositories, in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
            let refusals = try await gateway.refusals(of: repositories, for: format)
            var status = Status(
                answer, .repositories, count: repositories.count, from: gateway.source.name)
            status.show(
                answer, goesOn: answer.value?.goesOn, isPartial: answer.value?.isPartial ?? false,
                limit: limit)
            if batch != nil, status.goesOn == true { status.next = Int64(number + 1) }
            if status.mayAskForMore { status.hint = more }
            if repositories.isEmpty {
                status.isStoreEmpty = try await gateway.isEmpty(StoredRepository.collection)
            }
            if answer.value == nil, !org, await isStoredOrganization(gateway) {
                status.hint = "the list of an organization of this name is stored: --org"
            }
            let listing = RepositoryOutput.list(repositories, commits: commits, refusals: refusals)
            return AnswerPage(listing: listing, status: status)
        }

        private func isStoredOrganization(_ gateway: Gateway) async -> Bool {
            let list = gateway.listRepositories(.ofOrganization(owner), limit: 1, policy: .localOnly)
            return await list.ending.value != nil
        }

        private var more: String? {
            guard let batch else { return window.hint }
            return (number + 1) * batch > Limits.pageRows
                ? nil : "there are more: --batch \(batch) --number \(number + 1)"
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one repository with everything that is known.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var repository: RepositoryArgument

        @Option(
            name: .customLong("with"),
            help: "Tell its newest \"commits\" as well: the stored ones, unless somebody has pushed since.")
        var addition: RepositoryAddition?

        @OptionGroup var format: FormatOptions
        @OptionGroup var verdict: VerdictOptions

        func run() async throws {
            try format.check(RepositoryOutput.names(withCommits: addition != nil))
            let wanted = try repository.name
            try await options.withGateway(policy, requests, isQuiet: verdict.quiet) { gateway, policy in
                let answers = gateway.showRepository(wanted, policy: policy)
                try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                    try await page($0.served(), gateway, policy, $1)
                }
            }
        }

        private func page(
            _ answer: Answer<StoredRepository>, _ gateway: Gateway, _ policy: Policy,
            _ question: SourceQuestion
        ) async throws -> AnswerPage {
            guard let stored = answer.value else {
                throw PatchbayError(
                    .notFound,
                    "repository \"\(repository.repository)\" is not stored; ask without --offline")
            }
            let commits = await addition?.commits(
                of: [stored.repository], in: gateway, answer.outcome.isEnding ? policy : .localOnly, question)
            var status = Status(answer, .repositories, count: 1, from: gateway.source.name)
            status.isComplete = stored.repository.detail != nil && stored.refusal == nil
            var page = AnswerPage(listing: RepositoryOutput.show(stored, commits: commits), status: status)
            if let commits, format.format == .table, format.fields == nil {
                let listing = CommitOutput.list(commits.commits(of: stored.repository))
                let bytes = RecordWriter(.table).bytes(of: listing, answer: OutputRecord([]))
                page.appendix = Array("\n".utf8) + bytes
            }
            return page
        }
    }
}

/// What is told of repositories beside themselves.
enum RepositoryAddition: String, CaseIterable, ExpressibleByArgument {
    case commits

    func commits(
        of repositories: [Repository], in gateway: Gateway, _ policy: Policy, _ question: SourceQuestion
    ) async -> NewestCommits {
        await question.doing { await NewestCommits(of: repositories, in: gateway, policy: policy) }
    }
}
