import ArgumentParser
import Patchbay

/// `patchbay search users TEXT`.
struct SearchRows<Place: ResourcePlace>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let resource = Place.declaration
        let begin = SearchWords(resource).beginnings
        let offline =
            resource.search == nil
            ? "The source has no search for \(resource.plural), so the command lists stored \(resource.plural) whose "
                + "\(begin) begins with the text."
            : "Without a connection, the source's last results for the text are shown, else stored "
                + "\(resource.plural) whose \(begin) begins with it; the field \"found_by\" shows which.\n\nA text "
                + "without results is not searched again for a while (search.deny-seconds), except with --refresh."
        return CommandConfiguration(
            commandName: Place.resource.noun, abstract: "Search \(resource.plural).", discussion: offline,
            shouldDisplay: Place.number < CommandLineTool.declared.chosen.count)
    }

    @OptionGroup var options: SearchOptions

    func run() async throws {
        let output = SearchOutput(Place.resource, options)
        try output.check()
        guard options.interactive else { return try await output.write() }
        try await options.withGateway(of: Place.resource) { gateway, policy in
            let resource = try gateway.resource(Place.declaration.name)
            let session = gateway.searchSession(
                resource, limit: options.limit, policy: policy,
                debounce: options.debounce.map { .milliseconds($0) })
            try await InteractiveSearch(session, output, gateway.source).run()
        }
    }
}

/// The fields that a local search compares, in words.
struct SearchWords {
    private let resource: ResourceDeclaration

    init(_ resource: ResourceDeclaration) { self.resource = resource }

    private var fields: [String] {
        let names = (resource.handle.map { [$0.field] } ?? resource.key) + resource.title
        return ItemColumns.distinct(names).map { $0.withSpaces }
    }

    /// The fields of one row, one of which must begin with the text: `login or name`.
    var beginnings: String { fields.joined(separator: " or ") }

    /// The fields of several rows: `logins and names`.
    var plural: String { fields.map { $0 + "s" }.joined(separator: " and ") }
}
