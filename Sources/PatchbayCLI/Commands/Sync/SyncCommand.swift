import ArgumentParser
import PatchbayDomain
import PatchbayGateway

/// `patchbay sync`: whole lists, page by page, each page stored before the next is asked for.
struct SyncCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "sync", abstract: "Fetch whole lists into the storage, and go on where it stopped.",
            discussion: """
                Every page is stored with the place where the list goes on, in one transaction. After Ctrl-C, a kill \
                or a rate limit the same command goes on behind the last page that was stored. When the end was \
                reached, the same command asks from the start whether anything has changed, which costs no budget if \
                it has not.
                """,
            subcommands: SyncRows<FirstPlace>.all())
    }
}
