import ArgumentParser
import Patchbay
import PatchbayDomain
import PatchbayGateway

/// `patchbay sync`: whole lists, page by page, each page stored before the next is asked for.
struct SyncCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sync", abstract: "Fetch whole lists into the storage, and resume where it stopped.",
            discussion: """
                Every page is stored with the place where the list continues, in one transaction. After Ctrl-C, a \
                kill or a rate limit the same command resumes after the last page that was stored. When the end was \
                reached, the same command asks from the start whether anything has changed, which costs no budget if \
                it has not; where a definition says how (since), it asks only for what is new.

                Without a resource it fetches every list that needs no argument, then the lists of every stored row, \
                such as the commits of all repositories. A list that the source refuses does not keep the others \
                from being fetched. The exit status is 0 when everything is complete. With several sources they are \
                fetched one after another, and one that fails does not keep the others from being fetched.
                """,
            subcommands: SyncRows<FirstPlace>.all())
    }

    @OptionGroup var options: SyncOptions

    func run() async throws {
        try await options.run { gateway, start, maximumRequests in
            gateway.syncAll(from: start, maximumRequests: maximumRequests)
        }
    }
}
