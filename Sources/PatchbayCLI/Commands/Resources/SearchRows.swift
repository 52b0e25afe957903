import ArgumentParser
import Patchbay

/// `patchbay search users TEXT`.
struct SearchRows: ResourceVerb {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search the source, and store the rows it finds.",
        discussion: """
            Without a connection, or when the source has no search, stored rows are shown whose handle or title \
            begins with the text; the field "found_by" shows which. A text without results is not searched again for \
            a while (search.deny-seconds), except with --refresh.

              patchbay search users kern
            """)

    @OptionGroup var resource: ResourceArgument
    @OptionGroup var search: SearchOptions

    var options: ConfigurationOptions { search.options }

    func run(on declared: DeclaredResource) async throws {
        let output = SearchOutput(declared, search)
        try output.check()
        guard search.interactive else { return try await output.write() }
        try await search.withGateway(of: declared) { gateway, policy in
            let resource = try gateway.resource(declared.declaration.name)
            let session = gateway.searchSession(
                resource, limit: search.limit, policy: policy,
                debounce: search.debounce.map { .milliseconds($0) })
            try await InteractiveSearch(session, output, gateway.source).run()
        }
    }
}
