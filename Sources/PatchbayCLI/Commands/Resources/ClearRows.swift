import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay clear users`.
struct ClearRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Remove all stored rows of a resource.",
        discussion: """
            Favourites are kept. "patchbay init" fetches the first page again.

              patchbay clear users --yes
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var confirmation: Confirmation

    @Flag(help: "Keep edits; they apply again once their rows are fetched.")
    var keepEdits = false

    func run(on declared: DeclaredResource) async throws {
        let resource = declared.declaration
        let configuration = try options.load(declared)
        let storage = try ChosenStorage(configuration)
        let removed =
            resource.editable.isEmpty || keepEdits ? "" : " and all edited \(resource.editNoun)s"
        let cleared = try await options.withGateway(configuration, .localOnly, access: .writing) {
            gateway, _ in
            try confirmation.allows("remove all \(resource.plural)\(removed) from \(storage.name)")
                ? try await gateway.clear(try gateway.resource(resource.name), keepingEdits: keepEdits) : nil
        }
        guard let cleared else { return Message.note("nothing was removed") }
        let noun = "edited \(resource.editNoun)"
        let kept = Count.words(cleared.keptEdits, noun + " is kept", noun + "s are kept")
        let rows = Status.Noun(resource).counted(cleared.rows)
        let edits = cleared.removedEdits == 0 ? "" : " and \(Count.words(cleared.removedEdits, noun))"
        Message.note("\(rows)\(edits) removed" + (keepEdits ? ", \(kept)" : ""))
        for children in cleared.children {
            Message.note(
                "\(children) stay stored, also those of \(resource.plural) that the source no longer has; "
                    + "\"patchbay clear \(children)\" removes them")
        }
    }
}

extension ResourceDeclaration {
    /// The editable field in words; `field` when there are several.
    fileprivate var editNoun: String {
        editable.count == 1 ? editable[0].withSpaces : "field"
    }
}

/// `patchbay init users`.
struct InitRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Fetch the first page of a list, unless it is already stored.",
        discussion: """
              patchbay init users
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var arguments: ListArguments

    func run(on declared: DeclaredResource) async throws {
        let list = try arguments.list(of: declared)
        let (count, source) = try await options.withGateway(of: declared, isOffline: false) {
            (try await $0.initialize(try arguments.question($0, list)), $0.source.name)
        }
        guard let count else {
            return Message.note("the first page is already stored; nothing was fetched")
        }
        Message.note("\(Status.Noun(declared.declaration).counted(count)) fetched from \(source)")
    }
}
