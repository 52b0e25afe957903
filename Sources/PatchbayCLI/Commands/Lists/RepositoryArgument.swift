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
    @Option(help: ArgumentHelp("List this many.", valueName: "count"), limits: 1...Limits.pageRows)
    var limit = 30

    /// How to see more rows; nil when no list is longer.
    var hint: String? {
        limit < Limits.pageRows ? "there are more: --limit \(min(limit * 2, Limits.pageRows))" : nil
    }
}
