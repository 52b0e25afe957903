import ArgumentParser
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay api`: the source's API as it is, through all layers.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api", abstract: "Ask the source's API and print the answer as it is.",
        discussion: """
            Token, limits, retries and redirects are handled as for any other command; nothing is stored, and only the \
            configured server is asked. The body goes to standard output, also that of an error, whose kind is the \
            exit status.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var requests: RequestOptions

    @Argument(help: "The method; GET is the only one.")
    var method: String

    @Argument(help: "The path with its query, such as /users/octocat.")
    var path: String

    @Flag(help: "Follow the links to the next pages, and print their arrays as one.")
    var paginate = false

    @Flag(help: "Print the status and the header fields before each body, without secrets.")
    var include = false

    func validate() throws {
        guard method.uppercased() == "GET" else {
            throw ValidationError("the method \"\(method)\" is not GET, and nothing else is sent")
        }
        if paginate && include { throw ValidationError("--paginate and --include exclude each other") }
    }

    func run() async throws {
        try await options.withGateway(requests) { gateway in
            guard let raw = gateway.source.raw else {
                throw PatchbayError(.unsupported, "the source \(gateway.source.name) has no API to ask")
            }
            if paginate {
                try await PagedAnswer(raw: raw).write(path)
            } else {
                try write(await raw.get(path))
            }
        }
    }

    private func write(_ answer: RawAnswer) throws {
        if include {
            let fields = answer.fields.map { "\($0.name): \(Message.withoutSecrets($0.value))\n" }.joined()
            try BodyOutput.write(Array("HTTP \(answer.status)\n\(fields)\n".utf8))
        }
        try BodyOutput.write(answer.body)
        if let error = answer.error { throw error }
    }
}

/// Bodies on the standard output: as they are, but harmless on a terminal.
enum BodyOutput {
    static func write(_ bytes: [UInt8]) throws {
        guard Terminal.output.isTerminal else { return try StandardStream.output.write(bytes) }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        try StandardStream.output.write(
            lines.map { TerminalText.harmless(String($0)) }.joined(separator: "\n"))
    }
}
