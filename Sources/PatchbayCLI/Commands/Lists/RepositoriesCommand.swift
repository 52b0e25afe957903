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
            discussion: "\"patchbay sync repos\" fetches all of them.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var window: LimitOption

        @Argument(help: "The owner's login.")
        var owner: String

        @Flag(help: "The owner is an organization.")
        var org = false

        @Option(help: "How to print: \(OutputFormat.words).")
        var format = OutputFormat.table

        func run() async throws {
            let list = org ? RepositoryList.ofOrganization(owner) : .ofUser(owner)
            let (answer, name) = try await options.withGateway(isOffline: policy.offline, requests) {
                gateway in
                let answers = gateway.listRepositories(list, limit: window.limit, policy: policy.policy)
                return (try await answers.ending.served(), gateway.source.name)
            }
            let repositories = answer.value?.repositories ?? []
            try RepositoryOutput.list(repositories, as: format)
            var status = Status(answer, .repositories, count: repositories.count, from: name)
            if answer.value?.goesOn == true { status.hint = "there are more: --limit \(window.limit * 2)" }
            Message.write(status.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one repository with everything that is known.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var repository: RepositoryArgument

        @Option(help: "How to print: \(OutputFormat.words).")
        var format = OutputFormat.table

        func run() async throws {
            let wanted = try repository.name
            let (answer, name) = try await options.withGateway(isOffline: policy.offline, requests) {
                gateway in
                let answers = gateway.showRepository(wanted, policy: policy.policy)
                return (try await answers.ending.served(), gateway.source.name)
            }
            guard let stored = answer.value else {
                throw PatchbayError(
                    .notFound,
                    "repository \"\(repository.repository)\" is not stored; ask without --offline")
            }
            try RepositoryOutput.show(stored.repository, as: format)
            Message.write(Status(answer, .repositories, count: 1, from: name).line)
        }
    }
}
