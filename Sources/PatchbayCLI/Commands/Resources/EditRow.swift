import ArgumentParser
import Patchbay

/// `patchbay users edit LOGIN --name TEXT`.
struct EditRow<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "edit",
            abstract:
                "Override the \(EditOptions<Place>.words) of a \(Place.declaration.singular).",
            discussion: """
                Your text is shown instead of the source's, whatever the source returns later. White space at both \
                ends is removed; the text may have at most \(EditedText.bytesMax) bytes of UTF-8. A \
                \(Place.declaration.singular) that is not stored is fetched first.
                """)
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions
    @OptionGroup var row: HandleArgument<Place>
    @OptionGroup var edits: EditOptions<Place>

    func run() async throws {
        try edits.check()
        let edited = try await options.withGateway(of: Place.resource, policy, access: .writing, requests) {
            gateway, policy in
            let resource = try gateway.resource(Place.declaration.name)
            try await gateway.fetch(resource, row.handle, unlessStored: policy)
            var edited: [(String, Edited<Item>)] = []
            for (field, text) in edits.texts {
                edited.append((field, try await gateway.edit(resource, row.handle, field, to: text)))
            }
            return edited
        }
        for (field, edited) in edited { Message.note(edited.line("is shown as", field)) }
    }
}

extension Gateway {
    /// Fetches a row that is about to be changed here, if the policy requires or, because it is not stored, permits
    /// that.
    func fetch(_ resource: Resource, _ handle: String, unlessStored policy: Policy) async throws {
        if policy == .localOnly { return }
        if policy != .refresh, try await storedItem(resource, handle) != nil { return }
        _ = try await SourceQuestion(source.name).ending(of: show(resource, handle, policy: policy)).served()
    }
}

/// `patchbay users revert LOGIN`.
struct RevertRow<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "revert",
            abstract: "Remove an edited \(EditOptions<Place>.words), so that the source's is shown again.")
    }

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var row: HandleArgument<Place>
    @OptionGroup var choice: WhenMeaningful<FieldOption<Place>>

    func run() async throws {
        let field = choice.options?.field
        let edited = try await options.withGateway(of: Place.resource, isOffline: true, access: .writing) {
            try await $0.revert(try $0.resource(Place.declaration.name), row.handle, field)
        }
        for field in field.map({ [$0] }) ?? Place.declaration.editable {
            Message.note(edited.line("is again shown as", field))
        }
    }
}

/// An option for each field that may be edited.
struct EditOptions<Place: ResourcePlace>: DeclaredArguments {
    private(set) var texts: [(field: String, text: String)] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: OptionWord.self)
        for field in Place.declaration.editable {
            let option = try container.decode(Option<String?>.self, forKey: OptionWord(field))
            if let text = option.wrappedValue { texts.append((field, text)) }
        }
    }

    static var declared: [(word: String, option: Any)] {
        Place.declaration.editable.map { field in
            let help = ArgumentHelp("The \(field.withSpaces) to show.", valueName: "text")
            return (field, Option<String?>(name: .customLong(field.withHyphens), help: help))
        }
    }

    /// Checks that a text was given, and the texts. Not part of the validation, which precedes the reports of unknown
    /// options.
    func check() throws {
        for (field, text) in texts { _ = try EditedText(text, of: field) }
        guard texts.isEmpty else { return }
        let options = Place.declaration.editable.map { "'--\($0.withHyphens) <text>'" }
        throw ValidationError("missing expected argument \(options.joined(separator: " or "))")
    }

    /// The fields in words: `name`, `title or topic`.
    static var words: String {
        Place.declaration.editable.map { $0.withSpaces }.joined(separator: " or ")
    }
}

/// `--field`: one of the fields that may be edited.
struct FieldOption<Place: ResourcePlace>: ConditionalOptions {
    static var areMeaningful: Bool { fields.count > 1 }

    @Option(
        help: """
            Revert only this field. (values: \(Self.fields.joined(separator: ", ")); default: all of them)
            """, completion: .list(Self.fields), transform: Self.field)
    var field: String?

    private static var fields: [String] { Place.declaration.editable }

    private static func field(_ word: String) throws -> String {
        guard let field = fields.first(where: { $0 == word.withUnderscores }) else {
            throw ValidationError("choose one of \(fields.joined(separator: ", "))")
        }
        return field
    }
}

extension Edited<Item> {
    /// Returns a message about the result.
    func line(_ verb: String, _ name: String) -> String {
        let resource = value.resource
        guard let field = resource.field(named: name) else { return value.handle }
        let word = name.withSpaces
        func quoted(_ value: ItemValue?, _ none: String) -> String {
            value.map { "\"\($0.description)\"" } ?? none
        }
        let isUnknown = field.declaration.isDetail && value.state.detailFetchedAt == nil
        let upstream = isUnknown ? "not fetched" : quoted(value[field], "no \(word)")
        let note = value.override(of: field) == nil ? "" : " (upstream: \(upstream))"
        let shown = quoted(value.shown(field), "having no \(word)")
        let subject = resource.editable.count > 1 ? "\(word) of \(value.handle)" : value.handle
        return hasChanged
            ? "\(subject) \(verb) \(shown)\(note)" : "nothing changed; \(subject) is shown as \(shown)\(note)"
    }
}
