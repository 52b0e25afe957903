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
                "Rows go to standard output; where they come from and how old they are, to standard error.",
            aliases: ["ls"])

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

        @OptionGroup var format: FormatOptions
        @OptionGroup var verdict: VerdictOptions

        func run() async throws {
            try format.check(UserOutput.names(withFavourite: addition != nil))
            let configuration = try options.load()
            let limit = try limit ?? configuration.usersLimit()
            let maximum = try maximum ?? configuration.usersMaximum()
            let policy = try policy.policy(in: configuration)
            try await options.withGateway(configuration, policy, requests, isQuiet: verdict.quiet) {
                gateway in
                let answers = gateway.listUsers(
                    after: after, limit: limit, maximum: maximum, policy: policy)
                try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                    answer, _ in try await page(answer.served(), gateway, limit)
                }
            }
        }

        private func page(
            _ answer: Answer<ListUsers.Window>, _ gateway: Gateway, _ limit: Int
        ) async throws -> AnswerPage {
            let users = answer.value?.users ?? []
            let favourites =
                addition == .favourite ? try await gateway.findFavourites(among: users) : nil
            let refusals = try await gateway.refusals(of: users, for: format)
            var status = Status(answer, .users, count: users.count, from: gateway.source.name)
            status.hint = answer.hint(limit)
            status.goesOn = answer.value.map { $0.next != nil }
            status.next = answer.value?.next
            let hasGaps = answer.value?.gaps.isEmpty == false
            status.isComplete = !hasGaps && (answer.isConfirmed || users.count == limit || answer.hasEnd)
            if users.isEmpty { status.isStoreEmpty = try await gateway.isEmpty(StoredUser.collection) }
            let listing = UserOutput.list(users, favourites: favourites, refusals: refusals)
            return AnswerPage(listing: listing, status: status)
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

        @OptionGroup var format: FormatOptions
        @OptionGroup var verdict: VerdictOptions

        func validate() throws {
            if login.isEmpty { throw ValidationError("the login is empty") }
        }

        func run() async throws {
            try format.check(UserOutput.names)
            try await options.withGateway(policy, requests, isQuiet: verdict.quiet) { gateway, policy in
                let answers = gateway.showUser(login, policy: policy)
                if isOpening { return try await open(answers, gateway) }
                try await AnswerOutput(format, verdict, from: gateway).print(answers) {
                    answer, _ in
                    let user = try user(answer.served())
                    return AnswerPage(listing: UserOutput.show(user), status: status(answer, gateway))
                }
            }
        }

        private func open(_ answers: Answers<StoredUser>, _ gateway: Gateway) async throws {
            let question = SourceQuestion(gateway.source.name, isQuiet: verdict.quiet)
            let answer = try await question.ending(of: answers).served()
            try StandardStream.output.write(try user(answer).user.openableBlog().text + "\n")
            verdict.write(status(answer, gateway))
            try verdict.judge(status(answer, gateway))
        }

        private func user(_ answer: Answer<StoredUser>) throws -> StoredUser {
            guard let user = answer.value else {
                throw PatchbayError(.notFound, "user \"\(login)\" is not stored; ask without --offline")
            }
            return user
        }

        private func status(_ answer: Answer<StoredUser>, _ gateway: Gateway) -> Status {
            var status = Status(answer, .users, count: 1, from: gateway.source.name)
            status.isComplete = answer.value?.user.detail != nil && answer.value?.refusal == nil
            return status
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
    /// How the list goes on, for people. A window that is not full does not lead on: its rest was not fetched.
    fileprivate func hint(_ limit: Int) -> String? {
        let gaps = (value?.gaps ?? []).map { "\($0): --after \($0.after)" }
        let hints = gaps + [continuation(limit)].compactMap { $0 }
        return hints.isEmpty ? nil : hints.joined(separator: ", ")
    }

    private func continuation(_ limit: Int) -> String? {
        switch state {
        case .limitReached(let maximum): "the limit of \(maximum) is reached"
        case .endOfSource: "the end of the list"
        case .failed, .fetching, .more:
            value.flatMap { window in
                window.users.count < limit && !isConfirmed ? nil : window.next.map { "more: --after \($0)" }
            }
        }
    }

    /// Whether the window holds all that there is up to the end of the list.
    fileprivate var hasEnd: Bool {
        switch value?.state {
        case .limitReached, .endOfSource: true
        case .failed, .fetching, .more, nil: false
        }
    }
}
