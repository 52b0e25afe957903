import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay search`: what the source finds, and what it found last.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Let the source search, and keep what it finds.",
        subcommands: [Users.self, Repositories.self])
}

extension SearchCommand {
    struct Users: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Search users.")

        @OptionGroup var options: SearchOptions

        func run() async throws {
            try await options.run(.users) { gateway, query, limit, policy in
                gateway.searchUsers(query, limit: limit, policy: policy)
            } write: {
                try UserOutput.list($0, as: $1)
            }
        }
    }

    struct Repositories: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repos", abstract: "Search repositories.")

        @OptionGroup var options: SearchOptions

        func run() async throws {
            try await options.run(.repositories) { gateway, query, limit, policy in
                gateway.searchRepositories(query, limit: limit, policy: policy)
            } write: {
                try RepositoryOutput.list($0, as: $1)
            }
        }
    }
}

/// What every search takes, and how it is run.
struct SearchOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var window: LimitOption

    @Argument(
        help: ArgumentHelp("What to find, in the source's words: \"location:Berlin\".", valueName: "query"))
    var query: String

    @Option(help: "How to print: \(OutputFormat.words).")
    var format = OutputFormat.table

    func run<Item: Sendable>(
        _ noun: Status.Noun,
        _ search: (Gateway, String, Int, Policy) -> Answers<SearchWindow<Item>>,
        write: ([Item], OutputFormat) throws -> Void
    ) async throws {
        let (answer, name) = try await options.withGateway(policy, requests) { gateway, policy in
            let answers = search(gateway, query, window.limit, policy)
            return (try await answers.ending.served(), gateway.source.name)
        }
        let items = answer.value?.items ?? []
        try write(items, format)
        var status = Status(answer, noun, count: items.count, from: name)
        status.hint = answer.value?.hint
        Message.write(status.line)
    }
}

extension SearchWindow {
    /// What there is to say beside the results.
    fileprivate var hint: String? {
        var hints: [String] = []
        if let total, total > items.count { hints.append("\(total) in all") }
        if let cap { hints.append("the source gives \(cap) of them at most; ask for less") }
        if isIncomplete { hints.append("incomplete: the source ran out of time") }
        return hints.isEmpty ? nil : hints.joined(separator: ", ")
    }
}
