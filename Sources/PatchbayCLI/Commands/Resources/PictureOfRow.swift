import ArgumentParser
import Patchbay
import PatchbaySystem
import PatchbayTerminal

/// `patchbay picture users LOGIN`.
struct PictureOfRow: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "picture", abstract: "Write the picture of a row to a file.",
        discussion: """
            Pictures of up to \(StoredPicture.bytesMax / 1_048_576) MiB are kept in the storage and downloaded again \
            only if they have changed.

              patchbay picture users Marlow-Quern -o marlow.png
            """, aliases: ["avatar"])

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var verdict: VerdictOptions
    @OptionGroup var row: HandleArgument

    @Option(
        name: .output,
        help: ArgumentHelp(
            "Write to this new file; standard output when left out or -.",
            valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Replace the file if it exists.")
    var replace = false

    func validate() throws {
        let isToTerminal = output == nil && Descriptor.isTerminal(StandardStream.output.descriptor)
        if isToTerminal { throw ValidationError("a terminal cannot show a picture; add --output FILE") }
    }

    func run(on declared: DeclaredResource) async throws {
        let handle = try row.checked(declared)
        guard declared.declaration.picture != nil else {
            throw ValidationError("\(declared.declaration.plural) have no pictures")
        }
        let (answer, source) = try await options.withGateway(of: declared, policy, requests) {
            gateway, policy in
            let question = SourceQuestion(gateway.source.name)
            let resource = try gateway.resource(declared.declaration.name)
            let answers = gateway.picture(resource, handle, policy: policy)
            return (try await question.ending(of: answers).served(), gateway.source)
        }
        guard let picture = answer.value else {
            throw PatchbayError(
                .notFound, "the picture of \"\(handle)\" is not stored; fetch it without --offline")
        }
        let file = try OutputFile(output, replaces: replace)
        try file.stream.write(picture.bytes)
        try file.finish()
        var status = Status(answer, .init("picture", "pictures"), count: 1, from: source)
        status.hint = "\(picture.mediaType), \(picture.bytes.count) bytes"
        try verdict.conclude(status)
    }
}
