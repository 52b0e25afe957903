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
                """)

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

        @Option(help: "How to print.")
        var format = OutputFormat.table

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
            let list = org ? RepositoryList.ofOrganization(owner) : .ofUser(owner)
            let (answer, commits, name, isOrganization) = try await options.withGateway(policy, requests) {
                gateway, policy in
                let answers = gateway.listRepositories(
                    list, behind: (number - 1) * limit, limit: limit, policy: policy)
                let answer = try await answers.ending.served()
                let repositories = answer.value?.repositories ?? []
                let commits = await addition?.commits(of: repositories, in: gateway, policy)
                let isOrganization = answer.value == nil && !org ? await isStoredOrganization(gateway) : false
                return (answer, commits, gateway.source.name, isOrganization)
            }
            let repositories = answer.value?.repositories ?? []
            try RepositoryOutput.list(repositories, commits: commits, as: format)
            var status = Status(answer, .repositories, count: repositories.count, from: name)
            if answer.value?.goesOn == true { status.hint = "there are more: \(more)" }
            if isOrganization { status.hint = "the list of an organization of this name is stored: --org" }
            Message.write(status.line)
        }

        private func isStoredOrganization(_ gateway: Gateway) async -> Bool {
            let list = gateway.listRepositories(.ofOrganization(owner), limit: 1, policy: .localOnly)
            return await list.ending.value != nil
        }

        private var more: String {
            batch.map { "--batch \($0) --number \(number + 1)" } ?? "--limit \(limit * 2)"
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

        @Option(help: "How to print.")
        var format = OutputFormat.table

        func run() async throws {
            let wanted = try repository.name
            let (answer, commits, name) = try await options.withGateway(policy, requests) {
                gateway, policy in
                let answers = gateway.showRepository(wanted, policy: policy)
                let answer = try await answers.ending.served()
                let shown = answer.value.map { [$0.repository] } ?? []
                let commits = await addition?.commits(of: shown, in: gateway, policy)
                return (answer, commits, gateway.source.name)
            }
            guard let stored = answer.value else {
                throw PatchbayError(
                    .notFound,
                    "repository \"\(repository.repository)\" is not stored; ask without --offline")
            }
            try RepositoryOutput.show(stored.repository, commits: commits, as: format)
            if let commits, format == .table {
                try StandardStream.output.write("\n")
                try CommitOutput.list(commits.commits(of: stored.repository), as: format)
            }
            Message.write(Status(answer, .repositories, count: 1, from: name).line)
        }
    }
}

/// What is told of repositories beside themselves.
enum RepositoryAddition: String, CaseIterable, ExpressibleByArgument {
    case commits

    func commits(
        of repositories: [Repository], in gateway: Gateway, _ policy: Policy
    ) async -> NewestCommits {
        await NewestCommits(of: repositories, in: gateway, policy: policy)
    }
}
