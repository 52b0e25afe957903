import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay users`: people and organisations.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "List users, browse, show, edit or watch them.",
        subcommands: [
            List.self, Browse.self, Show.self, Avatar.self, Edit.self, Revert.self, Watch.self, Init.self,
            Clear.self,
        ])
}

extension UsersCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List users in the order of their ids.",
            discussion:
                "Rows go to standard output; where they come from and how old they are, to standard error.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions

        @Option(
            help: ArgumentHelp("List this many.", valueName: "count"), limits: 1...Limits.pageRows,
            default: CommandLineTool.plugins.words(for: "users.limit"))
        var limit: Int?

        @Option(help: ArgumentHelp("List users whose ids are greater.", valueName: "id"), limits: 0 ... .max)
        var after: Int64 = 0

        @Option(
            help: ArgumentHelp("Let the list have at most this many from its start.", valueName: "count"),
            limits: 1...Limits.pageRows, default: CommandLineTool.plugins.words(for: "users.maximum"))
        var maximum: Int?

        @Option(name: .customLong("with"), help: "Tell of each user as well whether it is a \"favourite\".")
        var addition: UserAddition?

        @Option(help: "How to print.")
        var format = OutputFormat.table

        func run() async throws {
            let configuration = try options.load()
            let limit = try limit ?? configuration.usersLimit()
            let maximum = try maximum ?? configuration.usersMaximum()
            let policy = try policy.policy(in: configuration)
            let (answer, favourites, name) = try await options.withGateway(configuration, policy, requests) {
                gateway in
                let answers = gateway.listUsers(
                    after: after, limit: limit, maximum: maximum, policy: policy)
                let answer = try await answers.ending.served()
                let favourites =
                    addition == .favourite
                    ? try await gateway.findFavourites(among: answer.value?.users ?? []) : nil
                return (answer, favourites, gateway.source.name)
            }
            let users = answer.value?.users ?? []
            try UserOutput.list(users, favourites: favourites, as: format)
            var status = Status(answer, .users, count: users.count, from: name)
            status.hint = answer.hint
            Message.write(status.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one user with everything that is known.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        @Flag(
            name: .customLong("open"),
            help:
                "Print the address of the user's blog and nothing else, if a browser may open it (http or https)."
        )
        var isOpening = false

        @Option(help: "How to print.")
        var format = OutputFormat.table

        func validate() throws {
            if login.isEmpty { throw ValidationError("the login is empty") }
        }

        func run() async throws {
            let (answer, name) = try await options.withGateway(policy, requests) { gateway, policy in
                let answers = gateway.showUser(login, policy: policy)
                return (try await answers.ending.served(), gateway.source.name)
            }
            guard let user = answer.value else {
                throw PatchbayError(.notFound, "user \"\(login)\" is not stored; ask without --offline")
            }
            if isOpening {
                try StandardStream.output.write(try user.user.openableBlog().text + "\n")
            } else {
                try UserOutput.show(user.user, as: format)
            }
            Message.write(Status(answer, .users, count: 1, from: name).line)
        }
    }
}

/// What a list tells of users beside themselves.
enum UserAddition: String, CaseIterable, ExpressibleByArgument {
    case favourite
}

extension User {
    /// The blog's address.
    ///
    /// - Throws: `notFound` when the user names none, `invalidValue` when it is nothing that a browser should open.
    fileprivate func openableBlog() throws -> WebAddress {
        let blog = detail?.blog ?? ""
        guard !blog.isEmpty else { throw PatchbayError(.notFound, "user \"\(login)\" names no blog") }
        guard let address = blogAddress else {
            throw PatchbayError(
                .invalidValue,
                "the blog of user \"\(login)\" is no http or https address and is not opened: "
                    + "\"\(TerminalText.harmless(blog))\"")
        }
        return address
    }
}

extension Answer where Value == ListUsers.Window {
    /// How the list goes on, for people.
    fileprivate var hint: String? {
        switch state {
        case .limitReached(let maximum): "the limit of \(maximum) is reached"
        case .endOfSource: "the end of the list"
        case .failed, .fetching, .more: value?.next.map { "more: --after \($0)" }
        }
    }
}
