import ArgumentParser
import Patchbay

/// `patchbay users picture LOGIN`.
struct PictureOfRow<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "picture",
            abstract: "Write the picture of one \(Place.declaration.singular) to a file.",
            discussion: """
                Pictures of up to \(StoredPicture.bytesMax / 1_048_576) MiB are kept in the storage and downloaded \
                again only if they have changed.
                """, aliases: ["avatar"])
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var verdict: VerdictOptions
    @OptionGroup var row: HandleArgument<Place>

    @Option(
        name: .output,
        help: ArgumentHelp(
            "Write to this new file; standard output when left out or -.",
            valueName: "file"), completion: .file())
    var output: String?

    func validate() throws {
        let isToTerminal = output == nil && POSIX.isTerminal(StandardStream.output.descriptor)
        if isToTerminal { throw ValidationError("a terminal cannot show a picture; add --output FILE") }
    }

    func run() async throws {
        let (answer, source) = try await options.withGateway(of: Place.resource, policy, requests) {
            gateway, policy in
            let question = SourceQuestion(gateway.source.name)
            let resource = try gateway.resource(Place.declaration.name)
            let answers = gateway.picture(resource, row.handle, policy: policy)
            return (try await question.ending(of: answers).served(), gateway.source)
        }
        guard let picture = answer.value else {
            throw PatchbayError(
                .notFound, "the picture of \"\(row.handle)\" is not stored; fetch it without --offline")
        }
        let file = try OutputFile(output)
        try file.stream.write(picture.bytes)
        try file.finish()
        var status = Status(answer, .init("picture", "pictures"), count: 1, from: source)
        status.hint = "\(picture.mediaType), \(picture.bytes.count) bytes"
        try verdict.conclude(status)
    }
}
