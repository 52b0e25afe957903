import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension UsersCommand {
    struct Avatar: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the picture of a user to a file.",
            discussion: """
                The picture is kept in the storage, up to \(StoredAvatar.bytesMax / 1_048_576) MiB, and sent again \
                only if it has changed.
                """)

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var policy: PolicyOptions
        @OptionGroup var requests: RequestOptions
        @OptionGroup var verdict: VerdictOptions

        @Argument(help: "The user's login; big and small letters are alike.")
        var login: String

        @Option(
            help: ArgumentHelp(
                "Write it to this file, which must not be there yet; - or nothing is the standard output.",
                valueName: "file"))
        var output: String?

        func validate() throws {
            if login.isEmpty { throw ValidationError("the login is empty") }
            let isToTerminal = output == nil && POSIX.isTerminal(StandardStream.output.descriptor)
            if isToTerminal {
                throw ValidationError("a picture is nothing for a terminal; add --output FILE")
            }
        }

        func run() async throws {
            let (answer, name) = try await options.withGateway(policy, requests, isQuiet: verdict.quiet) {
                gateway, policy in
                let question = SourceQuestion(gateway.source.name, isQuiet: verdict.quiet)
                let answers = gateway.showAvatar(login, policy: policy)
                return (try await question.ending(of: answers).served(), gateway.source.name)
            }
            guard let stored = answer.value else {
                throw PatchbayError(
                    .notFound, "the picture of \"\(login)\" is not stored; ask without --offline")
            }
            let file = try OutputFile(output)
            try file.stream.write(stored.avatar.bytes)
            try file.finish()
            var status = Status(answer, .pictures, count: 1, from: name)
            status.hint = "\(stored.avatar.mediaType), \(stored.avatar.bytes.count) bytes"
            verdict.write(status)
            try verdict.judge(status)
        }
    }
}
