import ArgumentParser
import Patchbay
import PatchbayDomain
import PatchbayGateway

/// `patchbay favourites`: users that somebody marked, each as the user was then.
struct FavouritesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "favourites", abstract: "Mark users as favourites, list and search them.",
        discussion: "A favourite is a copy of the user: it stays when users are cleared or deleted upstream.",
        subcommands: [List.self, Search.self, Add.self, Remove.self])
}

extension FavouritesCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Mark a stored user as a favourite; a second time copies the user anew.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        func run() async throws {
            let added = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.addFavourite(login)
            }
            let what = added.hasChanged ? "is a favourite" : "is a favourite already"
            Message.write("\(added.value.login) \(what)")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take the mark away; the user stays stored.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The favourite's login; big and small letters are alike.")
        var login: String

        func run() async throws {
            let removed = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.removeFavourite(login)
            }
            Message.write("\(removed.login) is no favourite any more")
        }
    }
}
