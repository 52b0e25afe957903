import ArgumentParser
import PatchbayCore
import PatchbayDomain

/// A repository by its name.
struct RepositoryArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The repository.", valueName: "owner/name"))
    var repository: String

    func validate() throws { _ = try name }

    var name: RepositoryName {
        get throws {
            guard let name = RepositoryName(repository) else {
                throw ValidationError("\"\(repository)\" is not owner/name")
            }
            return name
        }
    }
}

/// How many rows a list shows.
struct LimitOption: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("List this many, 1 to \(Limits.pageRows). (default: 30)", valueName: "count"),
        transform: (1...Limits.pageRows).number)
    var limit = 30
}
