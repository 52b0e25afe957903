import ArgumentParser
import Patchbay
import PatchbayDomain
import PatchbayGateway

extension UsersCommand {
    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a stored user a name that is shown instead of the upstream one.",
            discussion: """
                The name stays whatever the source tells later. White space at its ends is taken off; it has at most \
                \(EditedName.bytesMax) bytes of UTF-8.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        @Option(help: ArgumentHelp("The name to show.", valueName: "text"))
        var name: String

        func run() async throws {
            let edited = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.editUser(login, name: name)
            }
            Message.write(edited.line("is shown as"))
        }
    }

    struct Revert: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an edited name away, so that the upstream one is shown again.")

        @OptionGroup var options: ConfigurationOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        func run() async throws {
            let edited = try await options.withGateway(isOffline: true, access: .writing) {
                try await $0.revertUser(login)
            }
            Message.write(edited.line("is again shown as"))
        }
    }
}

extension Edited<StoredUser> {
    /// What came of it, for people.
    fileprivate func line(_ verb: String) -> String {
        let user = value.user
        // A name may hold line breaks, which would begin another message.
        let name = user.name.map { "\"\(TerminalText.harmless($0))\"" } ?? "having no name"
        let upstreamName = user.detail?.name.map { "\"\(TerminalText.harmless($0))\"" } ?? "no name"
        let upstream = user.detail == nil ? "not fetched" : upstreamName
        let note = user.nameOverride == nil ? "" : " (upstream: \(upstream))"
        guard hasChanged else { return "nothing changed; \(user.login) is shown as \(name)\(note)" }
        return "\(user.login) \(verb) \(name)\(note)"
    }
}
