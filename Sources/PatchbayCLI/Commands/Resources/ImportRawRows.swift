import ArgumentParser
import Patchbay

/// `patchbay users import FILE`: imports rows from a file in the API's own format.
struct ImportRawRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let plural = Place.declaration.plural
        return CommandConfiguration(
            commandName: "import", abstract: "Import \(plural) from a JSON file in the API's own format.",
            discussion: """
                The file is an array of \(plural), JSON Lines, or one or more answers of the API. It is decoded with \
                the definition, like an answer of the API itself, but no request is sent. Edits, favourites and \
                stored details are kept, and no row is marked as no longer listed. The import stops at the first row \
                that does not fit: the message names its line or row, byte and field, and all rows before it are \
                stored. Running the command again imports the whole file again.
                """)
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var parent: WhenMeaningful<ParentOption<Place>>

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    func run() async throws {
        Interruption.explain("some rows may have been imported; run the same command to import all")
        let input = try InputFile(file)
        let message = try await options.withGateway(of: Place.resource, isOffline: true, access: .creating) {
            gateway in
            let resource = try gateway.resource(Place.declaration.name)
            do {
                let count = try await ProgressBar.errors.showing { progress in
                    try await gateway.importItems(
                        resource, of: parent.options?.of, name: input.name, progress: progress
                    ) { try input.read(bytesMax: $0) }
                }
                return "\(resource.counted(count)) imported"
            } catch let error as PatchbayError where error.rowsImported == nil {
                throw explained(error)
            }
        }
        Message.note(message)
    }

    /// Names the option or command that an error from before the first row advises.
    private func explained(_ error: PatchbayError) -> PatchbayError {
        switch error.code {
        case .invalidValue where parent.options?.of == nil: error.naming("--of")
        case .unsupported: error.naming("\"patchbay storage import\"")
        default: error
        }
    }
}

/// `--of`: the parent of the imported rows.
struct ParentOption<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { Place.declaration.parent != nil }

    @Option(
        help: ArgumentHelp(
            "The stored \(Place.resource.parentNoun) that the rows belong to, if fields are taken from it.",
            valueName: Place.resource.parentNoun))
    var of: String?
}
