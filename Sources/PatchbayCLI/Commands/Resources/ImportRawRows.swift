import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay import users FILE`: imports rows from a file in the API's own format.
struct ImportRawRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import rows from a JSON file in the API's own format.",
        discussion: """
            The file is an array of rows, JSON Lines, or one or more answers of the API. It is decoded with the \
            definition, like an answer of the API itself, but no request is sent. Edits, favourites and stored \
            details are kept, and no row is marked as no longer listed. The import stops at the first row that does \
            not fit: the message names its line or row, byte and field, and all rows before it are stored. Running \
            the command again imports the whole file again.
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The stored row that the rows belong to, if fields are taken from it.", valueName: "row"))
    var of: String?

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    func run(on declared: DeclaredResource) async throws {
        if of != nil, declared.declaration.parent == nil {
            throw ValidationError("\(declared.declaration.plural) belong to no other rows")
        }
        Interruption.explain("some rows may have been imported; run the same command to import all")
        let input = try InputFile(file)
        let message = try await options.withGateway(of: declared, isOffline: true, access: .creating) {
            gateway in
            let resource = try gateway.resource(declared.declaration.name)
            do {
                let imported = try await ProgressBar.errors.showing { progress in
                    try await gateway.importItems(
                        resource, of: self.of, name: input.name, progress: progress
                    ) { try input.read(bytesMax: $0) }
                }
                for line in imported.drift.losses { Message.write(line) }
                return "\(resource.counted(imported.rows)) imported"
            } catch let error as PatchbayError where error.rowsImported == nil {
                throw explained(error)
            }
        }
        Message.note(message)
    }

    /// Names the option or command that an error from before the first row advises.
    private func explained(_ error: PatchbayError) -> PatchbayError {
        switch error.code {
        case .invalidValue where self.of == nil: error.naming("--of")
        case .unsupported: error.naming("\"patchbay storage import\"")
        default: error
        }
    }
}
