import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// `patchbay resources`: what the source of the configuration provides.
struct ResourcesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resources",
        abstract: "List what the source provides: its resources, their lists and fields, and what is stored.",
        discussion: "\"patchbay RESOURCE --help\" describes one of them. The source is not asked.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        try format.check(Self.names)
        let counts = try await stored()
        let records = CommandLineTool.declared.chosen.map { record($0, stored: counts[$0.name]) }
        let columns = [
            TableColumn("resource"), TableColumn("lists", wraps: true), TableColumn("show"),
            TableColumn("search"), TableColumn("fields", alignment: .right),
            TableColumn("stored", alignment: .right),
        ]
        try format.write(Listing(records, Self.names, .columns(columns)))
    }

    private static let names = FieldNames(["resource", "lists", "show", "search", "fields", "stored"])

    /// How many rows of each resource are stored; nothing where no storage is yet.
    private func stored() async throws -> [String: Int] {
        do {
            return try await options.withGateway(isOffline: true) { gateway in
                var counts: [String: Int] = [:]
                for resource in gateway.resources {
                    counts[resource.name] = try await gateway.store.read {
                        Int(try $0.count(Query(resource.collection)))
                    }
                }
                return counts
            }
        } catch let error as PatchbayError where error.code == .notFound {
            return [:]
        }
    }

    private func record(_ resource: ResourceDeclaration, stored: Int?) -> OutputRecord {
        let lists = resource.lists.map { list in
            let words = ResourceList(resource: resource, list: list).arguments.map { "<\($0.text)>" }
            return ((list.name.map { ["--" + $0] } ?? []) + words).joined(separator: " ")
        }
        return OutputRecord([
            ("resource", .text(resource.name)),
            ("lists", .text(lists.map { $0.isEmpty ? "all" : $0 }.joined(separator: ", "))),
            ("show", OutputValue(resource.show.map { _ in "<\(HandleWord(resource).text)>" })),
            ("search", .text(resource.search == nil ? "stored" : "source")),
            ("fields", .integer(Int64(resource.fields.count))),
            ("stored", .integer(Int64(stored ?? 0))),
        ])
    }
}
