import ArgumentParser
import Patchbay
import PatchbayTerminal

/// `patchbay resources`: lists the resources of the configured sources.
struct ResourcesCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "resources",
        abstract: "List the source's resources with their lists, fields and stored rows.",
        discussion: """
            With a name, one of them is described: its lists with their arguments, its fields, what can be edited, \
            its children, and examples. No request is sent.

              patchbay resources
              patchbay resources repos
            """)

    static let needsResources = true
    static let reportsSources = true

    @Argument(help: "The resource to describe.", completion: .resources)
    var name: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var format: FormatOptions

    var resourceWord: String? { name }

    func run() async throws {
        if let name {
            let text = ResourceDescription(try DeclaredResource(named: name)).text
            return try StandardStream.output.write(text + "\n")
        }
        let areSeveral = CommandLineTool.declared.sources.count > 1
        let names = FieldNames((areSeveral ? ["source"] : []) + Self.names)
        try format.check(names)
        let counts = try await stored()
        let records = CommandLineTool.declared.chosen.map { resource in
            let count = counts[resource.collection]
            let source = [("source", OutputValue(resource.source))]
            return OutputRecord((areSeveral ? source : []) + fields(resource, stored: count))
        }
        let columns =
            (areSeveral ? [TableColumn("source")] : [])
            + [
                TableColumn("resource"), TableColumn("lists", wraps: true), TableColumn("show"),
                TableColumn("search"), TableColumn("fields", alignment: .right),
                TableColumn("stored", alignment: .right),
            ]
        try format.write(Listing(records, names, .columns(columns)))
    }

    private static let names = ["resource", "lists", "show", "search", "fields", "stored"]

    /// Returns the number of stored rows by the name of the collection; empty if there is no storage yet.
    private func stored() async throws -> [String: Int] {
        do {
            return try await options.withGateways(isOffline: true) { gateways in
                var counts: [String: Int] = [:]
                for collection in gateways.all.flatMap(\.resources).map(\.collection) {
                    counts[collection.name] = try await gateways.store.read {
                        Int(try $0.count(Query(collection)))
                    }
                }
                return counts
            }
        } catch let error as PatchbayError where error.code == .notFound {
            return [:]
        }
    }

    private func fields(_ declared: DeclaredResource, stored: Int?) -> [(String, OutputValue)] {
        let resource = declared.declaration
        let lists = declared.lists.map { $0.words.joined(separator: " ") }
        return [
            ("resource", .text(declared.noun)),
            ("lists", .text(lists.map { $0.isEmpty ? "all" : $0 }.joined(separator: ", "))),
            ("show", OutputValue(resource.show.map { _ in "<\(HandleWord(resource).text)>" })),
            ("search", .text(resource.search == nil ? "stored" : "source")),
            ("fields", .integer(Int64(resource.fields.count))),
            ("stored", .integer(Int64(stored ?? 0))),
        ]
    }
}

/// The text about a resource that `patchbay resources NAME` prints.
struct ResourceDescription {
    private let declared: DeclaredResource
    private var resource: ResourceDeclaration { declared.declaration }

    init(_ declared: DeclaredResource) { self.declared = declared }

    var text: String {
        let parts = [lists, fields, handle, edits, children, search, examples].compactMap(\.self)
        return parts.joined(separator: "\n\n")
    }

    private var lists: String {
        "Lists:\n" + declared.lists.map { "  patchbay list \($0.usage)" }.joined(separator: "\n")
    }

    private var fields: String {
        let width = resource.fields.map(\.name.count).max() ?? 0
        let lines = resource.fields.map { field in
            let name = field.name + String(repeating: " ", count: width - field.name.count)
            return "  \(name)  \(field.type.rawValue)" + (field.isDetail ? " (details)" : "")
        }
        return "Fields:\n" + lines.joined(separator: "\n")
    }

    private var isNamed: Bool { resource.handle != nil || resource.key.count == 1 }

    private var handle: String? {
        guard isNamed else { return nil }
        let word = HandleWord(resource).text
        let name = resource.handle?.field ?? resource.key.joined(separator: " and ")
        let noun = "A\(resource.singular.withArticle.dropFirst())"
        return "\(noun) is identified by its \(word == name ? name : "\(name), written \(word)")."
    }

    private var edits: String? {
        resource.editable.isEmpty
            ? nil : "Fields that can be edited locally: \(resource.editable.joined(separator: ", "))."
    }

    private var children: String? {
        let names = CommandLineTool.declared.children(of: declared).map(\.noun)
        return names.isEmpty
            ? nil : "Lists of each \(resource.singular): \(names.joined(separator: ", ")) (--with, sync)."
    }

    private var search: String {
        resource.search == nil
            ? "The source cannot search \(resource.plural); only stored ones are searched."
            : "The source can search \(resource.plural)."
    }

    private var examples: String {
        let word = "<\(HandleWord(resource).text)>", noun = declared.noun
        var lines = declared.lists.prefix(1).map { "sync \($0.usage)" } + ["search \(noun) TEXT"]
        if isNamed {
            lines.append("show \(noun) \(word)")
            if let field = resource.editable.first { lines.append("edit \(noun) \(word) \(field)=TEXT") }
        }
        return "Examples:\n" + lines.map { "  patchbay \($0)" }.joined(separator: "\n")
    }
}
