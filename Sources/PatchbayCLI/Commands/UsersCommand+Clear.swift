import ArgumentParser
import Patchbay
import PatchbayDomain
import PatchbayGateway

extension UsersCommand {
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove all stored users.",
            discussion: "Favourites stay. \"patchbay users init\" fetches the first page again.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var confirmation: Confirmation

        @Flag(help: "Keep edited names; they apply again when their users come back.")
        var keepEdits = false

        func run() async throws {
            let configuration = try options.load()
            let storage = try ChosenStorage(configuration)
            let names = keepEdits ? "" : " and the names that were edited"
            let cleared = try await options.withGateway(configuration, .localOnly, access: .writing) {
                try confirmation.allows("remove all users\(names) from \(storage.name)")
                    ? try await $0.clearUsers(keepingEdits: keepEdits) : nil
            }
            guard let cleared else { return Message.write("nothing was removed") }
            let users = cleared.users == 1 ? "1 user" : "\(cleared.users) users"
            let edits = cleared.keptEdits == 1 ? "1 edited name is" : "\(cleared.keptEdits) edited names are"
            Message.write("\(users) removed" + (keepEdits ? ", \(edits) kept" : ""))
        }
    }

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetch the first page of users, when it is not stored yet.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (count, source) = try await options.withGateway(isOffline: false) {
                (try await $0.initUsers(), $0.source.name)
            }
            guard let count else {
                return Message.write("the first page is stored already; nothing was fetched")
            }
            Message.write("\(count == 1 ? "1 user" : "\(count) users") fetched from \(source)")
        }
    }
}
