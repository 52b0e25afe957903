import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay edit users LOGIN name=TEXT`.
struct EditRow: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Override fields of a row.",
        discussion: """
            Your text is shown instead of the source's, whatever the source returns later. White space at both ends \
            is removed; the text may have at most \(EditedText.bytesMax) bytes of UTF-8, and "field=" shows the field \
            as empty. "patchbay resources RESOURCE" lists the fields that can be edited. A row that is not stored is \
            fetched first.

              patchbay edit users Marlow-Quern name="Marlow of the ferries"
              patchbay edit users Marlow-Quern name=
              patchbay edit users Marlow-Quern --from name=name.txt
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var row: HandleArgument

    @Argument(
        help: ArgumentHelp("A field and its text; all of them are changed at once.", valueName: "field=text"),
        completion: .edits)
    var changes: [String] = []

    @Option(
        help: ArgumentHelp(
            "Take the text of a field from a file; - is standard input.", valueName: "field=file"),
        completion: .edits)
    var from: [String] = []

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var requests: RequestOptions

    func run(on declared: DeclaredResource) async throws {
        let texts = try texts(declared.declaration), handle = try row.checked(declared)
        let edited = try await options.withGateway(of: declared, policy, access: .writing, requests) {
            gateway, policy in
            let resource = try gateway.resource(declared.declaration.name)
            try await gateway.fetch(resource, handle, unlessStored: policy)
            return try await gateway.edit(
                resource, handle, texts.map { (field: $0.field, value: $0.text) })
        }
        for (field, _) in texts { Message.note(edited.line("is shown as", field)) }
    }

    private func texts(_ resource: ResourceDeclaration) throws -> [(field: String, text: String)] {
        var texts = try changes.map { try EditableField.pair($0, of: resource) }
        for word in from {
            let (field, file) = try EditableField.pair(word, of: resource)
            let bytes = try InputFile(file).readAll(bytesMax: EditedText.bytesMax * 2)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw PatchbayError(.invalidValue, "\"\(file)\" is not UTF-8 text")
            }
            texts.append((field, text))
        }
        guard !texts.isEmpty else {
            let words = resource.editable.map { "\($0)=TEXT" }.joined(separator: " or ")
            throw ValidationError(
                words.isEmpty
                    ? "\(resource.plural) have no fields to edit" : "nothing to edit; write \(words)")
        }
        let fields = texts.map(\.0)
        if let field = fields.first(where: { field in fields.count { $0 == field } > 1 }) {
            throw ValidationError("the field \(field) is given twice")
        }
        // Before a request is spent.
        for (field, text) in texts { _ = try EditedText(text, of: field, in: resource) }
        return texts
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

/// `patchbay revert users LOGIN`.
struct RevertRow: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "revert", abstract: "Remove edits of a row, so that the source's text is shown again.",
        discussion: """
              patchbay revert users Marlow-Quern name
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var row: HandleArgument

    @Argument(help: "The field; all fields when left out.", completion: .editableFields)
    var field: String?

    @OptionGroup var options: ConfigurationOptions

    func run(on declared: DeclaredResource) async throws {
        let handle = try row.checked(declared)
        let field = try field.map { try EditableField.named($0, of: declared.declaration) }
        let edited = try await options.withGateway(of: declared, isOffline: true, access: .writing) {
            try await $0.revert(try $0.resource(declared.declaration.name), handle, field)
        }
        for field in field.map({ [$0] }) ?? declared.declaration.editable {
            Message.note(edited.line("is again shown as", field))
        }
    }
}

/// The fields of a resource that may be edited, as people type them.
private enum EditableField {
    static func named(_ word: String, of resource: ResourceDeclaration) throws -> String {
        if let field = resource.editable.first(where: { $0 == word || $0 == word.withUnderscores }) {
            return field
        }
        guard !resource.editable.isEmpty else {
            throw ValidationError("\(resource.plural) have no fields to edit")
        }
        throw ValidationError(EditDistance.unknown("field to edit", word, in: resource.editable))
    }

    /// Reads `field=value`.
    static func pair(_ word: String, of resource: ResourceDeclaration) throws -> (String, String) {
        guard let equals = word.firstIndex(of: "=") else {
            throw ValidationError("\"\(word)\" is not field=value")
        }
        return (
            try named(String(word[..<equals]), of: resource), String(word[word.index(after: equals)...])
        )
    }
}
