import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay commits`: what happened in a repository.
struct CommitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commits", abstract: "List the commits of a repository.", subcommands: [List.self])
}

extension CommitsCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the newest commits of a repository.",
            discussion: "\"patchbay sync commits\" fetches all of them.", aliases: ["ls"])

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var window: LimitOption
        @OptionGroup var repository: RepositoryArgument

        @OptionGroup var format: FormatOptions
        @OptionGroup var verdict: VerdictOptions

        func run() async throws {
            try format.check(CommitOutput.names)
            let wanted = try repository.name
            try await options.withGateway(policy, requests, isQuiet: verdict.quiet) { gateway, policy in
                let answers = gateway.listCommits(wanted, limit: window.limit, policy: policy)
                try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                    answer, _ in try await page(answer.served(), gateway)
                }
            }
        }

        private func page(
            _ answer: Answer<ListCommits.Window>, _ gateway: Gateway
        ) async throws -> AnswerPage {
            let commits = answer.value?.commits ?? []
            var status = Status(answer, .commits, count: commits.count, from: gateway.source.name)
            status.show(
                answer, goesOn: answer.value?.goesOn, isPartial: answer.value?.isPartial ?? false,
                limit: window.limit)
            if status.mayAskForMore { status.hint = window.hint }
            if commits.isEmpty { status.isStoreEmpty = try await gateway.isEmpty(StoredCommit.collection) }
            return AnswerPage(listing: CommitOutput.list(commits), status: status)
        }
    }
}
