import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay search`: what the source finds, what it found last, and what is stored.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Let the source search, and keep what it finds.",
        subcommands: [Users.self, Repositories.self, Recent.self, Deny.self])
}

extension SearchCommand {
    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Search users.",
            discussion: """
                Without a connection it shows what the source found last for the text, else the stored users whose \
                login or name begins with it; the field "found_by" says which.

                A text that found nothing is not asked again for a while (search.deny-seconds); --refresh asks.
                """)

        @OptionGroup var options: SearchOptions

        func run() async throws {
            let output = SearchOutput<User>("users", .users, UserOutput.foundNames, options) {
                UserOutput.list($0.items, foundBy: $0.origin)
            }
            try output.check()
            if options.interactive {
                try await options.withGateway { gateway, policy in
                    let session = gateway.searchUsers.session(
                        limit: options.limit, policy: policy, debounce: options.delay)
                    try await InteractiveSearch(session, output, gateway.source.name).run()
                }
            } else {
                try await output.write { gateway, text, policy in
                    gateway.searchUsers(
                        text, page: options.page, limit: options.limit, policy: policy)
                }
            }
        }
    }

    struct Repositories: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repos", abstract: "Search repositories.",
            discussion: """
                Without a connection it shows what the source found last for the text.

                A text that found nothing is not asked again for a while (search.deny-seconds); --refresh asks.
                """)

        @OptionGroup var options: SearchOptions

        func run() async throws {
            let names = RepositoryOutput.names(withCommits: false)
            let output = SearchOutput<Repository>("repositories", .repositories, names, options) {
                RepositoryOutput.list($0.items)
            }
            try output.check()
            if options.interactive {
                try await options.withGateway { gateway, policy in
                    let session = gateway.searchRepositories.session(
                        limit: options.limit, policy: policy, debounce: options.delay)
                    try await InteractiveSearch(session, output, gateway.source.name).run()
                }
            } else {
                try await output.write { gateway, text, policy in
                    gateway.searchRepositories(
                        text, page: options.page, limit: options.limit, policy: policy)
                }
            }
        }
    }
}
