import ArgumentParser
import PatchbayDomain
import PatchbayGateway

/// `patchbay sync`: whole lists, page by page, each page stored before the next is asked for.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch whole lists into the storage, and go on where it stopped.",
        discussion: """
            Every page is stored with the place where the list goes on, in one transaction. After Ctrl-C, a kill or a \
            rate limit the same command goes on behind the last page that was stored. When the end was reached, the \
            same command asks from the start whether anything has changed, which costs no budget if it has not.
            """,
        subcommands: [
            Users.self, Repositories.self, OrganizationRepositories.self, PublicRepositories.self,
            Commits.self,
        ])
}

extension SyncCommand {
    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Fetch the list of all users.")

        @OptionGroup var options: SyncOptions

        @Flag(help: "Fetch the detail of each user that has none, too.")
        var details = false

        func run() async throws {
            try await options.run { gateway, start, maximumRequests in
                details
                    ? gateway.syncUserDetails(from: start, maximumRequests: maximumRequests)
                    : gateway.syncUsers(from: start, maximumRequests: maximumRequests)
            }
        }
    }

    struct Repositories: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repos", abstract: "Fetch the repositories of a user.")

        @OptionGroup var options: SyncOptions

        @Argument(help: "The user's login.")
        var owner: String

        func run() async throws { try await options.run(.ofUser(owner)) }
    }

    struct OrganizationRepositories: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "org-repos", abstract: "Fetch the repositories of an organization.")

        @OptionGroup var options: SyncOptions

        @Argument(help: "The organization's login.")
        var organization: String

        func run() async throws { try await options.run(.ofOrganization(organization)) }
    }

    struct PublicRepositories: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "public-repos", abstract: "Fetch the list of all public repositories.")

        @OptionGroup var options: SyncOptions

        func run() async throws { try await options.run(.allPublic(after: 0)) }
    }

    struct Commits: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Fetch the commits of a repository.")

        @OptionGroup var options: SyncOptions
        @OptionGroup var repository: RepositoryArgument

        func run() async throws {
            let name = try repository.name
            try await options.run { gateway, start, maximumRequests in
                gateway.syncCommits(name, from: start, maximumRequests: maximumRequests)
            }
        }
    }
}

extension SyncOptions {
    fileprivate func run(_ list: RepositoryList) async throws {
        try await run { gateway, start, maximumRequests in
            gateway.syncRepositories(list, from: start, maximumRequests: maximumRequests)
        }
    }
}
