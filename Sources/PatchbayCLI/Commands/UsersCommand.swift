import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay users`: people and organisations.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "List users, show, edit or watch them.",
        subcommands: [
            List.self, Show.self, Edit.self, Revert.self, Watch.self, Init.self, Clear.self,
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

        @Option(help: ArgumentHelp("List this many, 1 to \(Limits.pageRows).", valueName: "count"))
        var limit = 20

        @Option(help: ArgumentHelp("List users whose ids are greater.", valueName: "id"))
        var after: Int64 = 0

        @Option(
            help: ArgumentHelp(
                "Let the list have at most this many from its start, 1 to \(Limits.pageRows).",
                valueName: "count"))
        var maximum: Int?

        @Option(name: .customLong("with"), help: "Tell of each user as well whether it is a \"favourite\".")
        var addition: UserAddition?

        @Option(help: "How to print: \(OutputFormat.words).")
        var format = OutputFormat.table

        func validate() throws {
            guard (1...Limits.pageRows).contains(limit) else {
                throw ValidationError("--limit \(limit) is not from 1 to \(Limits.pageRows)")
            }
            guard (1...Limits.pageRows).contains(maximum ?? 1) else {
                throw ValidationError("--maximum \(maximum ?? 0) is not from 1 to \(Limits.pageRows)")
            }
            guard after >= 0 else { throw ValidationError("--after \(after) is negative; ids begin with 1") }
        }

        func run() async throws {
            let gateway = try await options.openGateway(isOffline: policy.offline)
            let answers = gateway.listUsers(
                after: after, limit: limit, maximum: maximum, policy: policy.policy)
            let answer = await answers.ending
            let favourites =
                addition == .favourite
                ? try await gateway.findFavourites(among: answer.value?.users ?? []) : nil
            try await gateway.close()
            if case .failed(let error) = answer.outcome, answer.value == nil { throw error }
            let users = answer.value?.users ?? []
            try UserOutput.list(users, favourites: favourites, as: format)
            var status = Status(answer, count: users.count, from: gateway.source.name)
            status.hint = answer.hint
            Message.write(status.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one user with everything that is known.")

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        @Option(help: "How to print: \(OutputFormat.words).")
        var format = OutputFormat.table

        func validate() throws {
            if login.isEmpty { throw ValidationError("the login is empty") }
        }

        func run() async throws {
            let gateway = try await options.openGateway(isOffline: policy.offline)
            let answer = await gateway.showUser(login, policy: policy.policy).ending
            try await gateway.close()
            guard let user = answer.value else {
                if case .failed(let error) = answer.outcome { throw error }
                throw PatchbayError(.notFound, "user \"\(login)\" is not stored; ask without --offline")
            }
            try UserOutput.show(user.user, as: format)
            Message.write(Status(answer, count: 1, from: gateway.source.name).line)
        }
    }
}

/// What a list tells of users beside themselves.
enum UserAddition: String, CaseIterable, ExpressibleByArgument {
    case favourite
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

extension AsyncStream {
    /// The last answer of a local-first stream.
    fileprivate var ending: Element {
        get async {
            var last: Element?
            for await answer in self { last = answer }
            guard let last else { preconditionFailure("a stream of answers has an ending") }
            return last
        }
    }
}
