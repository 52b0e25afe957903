import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay users import FILE`: rows as the API returns them, from a file.
struct ImportRawRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let plural = Place.declaration.plural
        return CommandConfiguration(
            commandName: "import", abstract: "Store \(plural) from a file with JSON as the API returns it.",
            discussion: """
                The file is an array of \(plural), JSON Lines, or one or several answers of the API. The definition \
                says how they are read, as for an answer of the API itself, which is not asked. Edits, favourites \
                and stored details stay, and nothing is marked as no longer listed. The first row that does not fit \
                ends the import: the message names line or row, byte and field, and all rows before it are stored. \
                The same command imports the whole file again.
                """)
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var parent: When<HasParent<Place>, ParentOption<Place>>

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    func run() async throws {
        Interruption.explain("whole batches of rows were imported; the same command imports all")
        let input = try InputFile(file)
        let message = try await options.withGateway(of: Place.resource, isOffline: true, access: .creating) {
            gateway in
            let resource = try gateway.resource(Place.declaration.name)
            let count = try await ProgressBar.errors.showing { progress in
                try await gateway.importItems(
                    resource, of: parent.options?.of, name: input.name, progress: progress
                ) { try input.read(bytesMax: $0) }
            }
            return "\(resource.counted(count)) imported"
        }
        Message.write(message)
    }
}

/// `--of`: the row that others belong to.
struct ParentOption<Place: ResourcePlace>: DeclaredArguments {
    private(set) var of: String?

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        of = try container.decode(Option<String?>.self, forKey: OptionWord("of")).wrappedValue
    }

    static var declared: [(word: String, option: Any)] {
        let noun = Place.resource.parentNoun
        let help = ArgumentHelp(
            "The stored \(noun) that they belong to, where fields come from it.", valueName: noun)
        return [("of", Option<String?>(name: .customLong("of"), help: help))]
    }
}

enum HasParent<Place: ResourcePlace>: OptionCondition {
    static var holds: Bool { Place.declaration.parent != nil }
}
