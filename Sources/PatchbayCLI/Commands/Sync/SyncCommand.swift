import ArgumentParser
import PatchbayGateway

/// `patchbay sync`: fetches complete lists page by page, storing each page before requesting the next.
struct SyncCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        NamedCommands.configuration(of: Self.self) { made }
    }

    private static var made: CommandConfiguration {
        CommandConfiguration(
            commandName: "sync",
            abstract: "Fetch complete lists into the storage, resuming where an earlier sync stopped.",
            discussion: """
                Each page is stored in one transaction with the position where the list continues. After Ctrl-C, a \
                kill or a rate limit, the same command resumes after the last stored page. Once the end has been \
                reached, the same command checks from the start whether anything has changed, which costs no budget \
                if nothing has; if the definition of the list supports it (since), only new rows are requested.

                Without a resource, sync fetches every list that needs no argument, then the lists of every stored \
                row, such as the commits of all repositories. A list whose definition calls it too long, such as all \
                users of GitHub, is fetched only by name. A list that the source refuses is skipped. Several sources \
                are synced one after another, and if one fails, the others are still synced.

                The exit status is 0 when everything else is complete, and when --max-requests was reached. It is \
                \(ExitStatus.incomplete.rawValue) when an answer shows that rows of a list are missing.
                """,
            subcommands: ResourcePlaces.syncs)
    }

    @OptionGroup var options: SyncOptions

    func run() async throws {
        try await options.run { gateway, start, maximumRequests in
            gateway.syncAll(from: start, maximumRequests: maximumRequests)
        }
    }
}
