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
            discussion: "\"patchbay sync commits\" fetches all of them.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var window: LimitOption
        @OptionGroup var repository: RepositoryArgument

        @Option(help: "How to print.")
        var format = OutputFormat.table

        func run() async throws {
            let wanted = try repository.name
            let (answer, name) = try await options.withGateway(policy, requests) {
                gateway, policy in
                let answers = gateway.listCommits(wanted, limit: window.limit, policy: policy)
                return (try await answers.ending.served(), gateway.source.name)
            }
            let commits = answer.value?.commits ?? []
            try CommitOutput.list(commits, as: format)
            var status = Status(answer, .commits, count: commits.count, from: name)
            if answer.value?.goesOn == true { status.hint = "there are more: --limit \(window.limit * 2)" }
            Message.write(status.line)
        }
    }
}
