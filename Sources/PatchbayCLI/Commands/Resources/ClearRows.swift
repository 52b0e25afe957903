import ArgumentParser
import Patchbay

/// `patchbay users clear`.
struct ClearRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let resource = Place.declaration
        return CommandConfiguration(
            commandName: "clear", abstract: "Remove all stored \(resource.plural).",
            discussion:
                "Favourites are kept. \"patchbay \(Place.resource.noun) init\" fetches the first page again.")
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var edits: WhenMeaningful<KeepEdits<Place>>

    func run() async throws {
        let resource = Place.declaration
        let keepEdits = edits.options?.keepEdits == true
        let configuration = try options.load(Place.resource)
        let storage = try ChosenStorage(configuration)
        let removed =
            edits.options == nil || keepEdits ? "" : " and all edited \(resource.editNoun)s"
        let cleared = try await options.withGateway(configuration, .localOnly, access: .writing) {
            gateway, _ in
            try confirmation.allows("remove all \(resource.plural)\(removed) from \(storage.name)")
                ? try await gateway.clear(try gateway.resource(resource.name), keepingEdits: keepEdits) : nil
        }
        guard let cleared else { return Message.note("nothing was removed") }
        let noun = "edited \(resource.editNoun)"
        let kept = Count.words(cleared.keptEdits, noun) + (cleared.keptEdits == 1 ? " is kept" : " are kept")
        let rows = Status.Noun(resource).counted(cleared.rows)
        let edits = cleared.removedEdits == 0 ? "" : " and \(Count.words(cleared.removedEdits, noun))"
        Message.note("\(rows)\(edits) removed" + (keepEdits ? ", \(kept)" : ""))
    }
}

/// `--keep-edits`.
struct KeepEdits<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { !Place.declaration.editable.isEmpty }

    @Flag(
        help: """
            Keep edited \(Place.declaration.editNoun)s; they apply again once their \(Place.declaration.plural) are \
            fetched.
            """)
    var keepEdits = false
}

extension ResourceDeclaration {
    /// The editable field in words; `field` when there are several.
    fileprivate var editNoun: String {
        editable.count == 1 ? editable[0].withSpaces : "field"
    }
}

/// `patchbay users init`.
struct InitRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "init",
            abstract: "Fetch the first page of \(Place.declaration.plural), unless it is already stored.")
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var arguments: ListArguments<Place>

    func run() async throws {
        let (count, source) = try await options.withGateway(of: Place.resource, isOffline: false) {
            (try await $0.initialize(try arguments.question($0)), $0.source.name)
        }
        guard let count else {
            return Message.note("the first page is already stored; nothing was fetched")
        }
        Message.note("\(Status.Noun(Place.declaration).counted(count)) fetched from \(source)")
    }
}
