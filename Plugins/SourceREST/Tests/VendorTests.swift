import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

/// The bundled definitions over the answers that their vendors describe.
@Suite("bundled definitions and their vendors' descriptions")
struct VendorTests {
    private static let settings = [
        "confluence": "site=acme", "jira": "site=acme", "okta": "domain=acme",
        "sentry": "organization=acme", "stackexchange": "site=unix",
        "wikipedia": "language=en contact=ann@example.test", "zendesk": "subdomain=acme",
    ]

    private func bench(_ bundled: BundledDefinition) throws -> (Bench, VendorMock) {
        let mock = try VendorMock(bundled.name)
        let definition = try bundled.definition.applying(settings: Self.settings[bundled.name] ?? "")
        return (
            try Bench(definition, ScriptedNetworking { request, body, _ in mock.answer(request, body) }), mock
        )
    }

    /// The first list of each resource, with a row of its parent.
    private func questions(_ bench: Bench) async throws -> [ListQuestion] {
        var questions: [ListQuestion] = [], parents: [String: Item] = [:]
        let names = Set(bench.definition.resources.compactMap(\.parent))
        for declaration in bench.definition.resources {
            let arguments = declaration.lists[0].template.arguments.map { _ in "name-1" }
            var question = try ListQuestion(
                bench.resource(declaration.name), arguments: arguments,
                parent: declaration.parent.map { try #require(parents[$0]) })
            // One period instead of ten years.
            if declaration.since?.window != nil { question.since = .time(Timestamp("2026-01-01T00:00:00Z")!) }
            questions.append(question)
            guard names.contains(declaration.name) else { continue }
            parents[declaration.name] = try await bench.pages(question).first?.items.first
        }
        return questions
    }

    @Test(
        "a list has all rows, with different keys and a value in every field",
        arguments: BundledDefinition.described)
    func lists(_ bundled: BundledDefinition) async throws {
        let (bench, mock) = try bench(bundled)
        for question in try await questions(bench) {
            let name = question.resource.name.replacing("_", with: "-"), sent = bench.networking.sent.count
            let pages = try await bench.pages(question), items = pages.flatMap(\.items)
            let count = items.count - mock.repeatCount(of: name)
            #expect(count == mock.rowCount(of: name), "\(bundled.name) \(name)")
            #expect(Set(items.map(\.key)).count == count, "\(bundled.name) \(name)")
            #expect(pages.allSatisfy { $0.shortfall == nil && $0.emptied.isEmpty }, "\(bundled.name) \(name)")
            #expect(
                bench.networking.sent.count - sent == mock.requestCount(of: name), "\(bundled.name) \(name)")
            for field in question.resource.declaration.fields where !field.isDetail {
                let lacks = items.contains { $0[field.name] == nil }
                #expect(!lacks, "\(bundled.name) \(name) \(field.name)")
            }
        }
    }

    @Test(
        "a later list asks for changes since a time, with described parameters",
        arguments: BundledDefinition.described)
    func changes(_ bundled: BundledDefinition) async throws {
        let (bench, mock) = try bench(bundled)
        for var question in try await questions(bench) where question.resource.declaration.since != nil {
            let name = question.resource.name.replacing("_", with: "-"), sent = bench.networking.sent.count
            question.since = .time(Timestamp("2026-01-04T05:06:07Z")!)
            let items = try await bench.pages(question).flatMap(\.items)
            let repeated = mock.repeatCount(of: name)
            #expect(items.count - repeated == mock.rowCount(of: name), "\(bundled.name) \(name)")
            // The time is also the place where the next page begins, if rows repeat.
            let lines = bench.networking.lines.dropFirst(sent).prefix(repeated > 0 ? 1 : .max)
                .map { PercentEncoding.decoded($0) }
            let forms = ["2026-01-04T05:06:07Z", "2026/01/04 05:06", "1767503167"]
            #expect(
                lines.allSatisfy { line in forms.contains { line.contains($0) } },
                "\(bundled.name) \(name): \(lines)")
        }
    }

    @Test(
        "one row is shown with its details, and the search finds all results",
        arguments: BundledDefinition.described)
    func rows(_ bundled: BundledDefinition) async throws {
        let (bench, mock) = try bench(bundled)
        let feed = try #require(bench.source.feed)
        for question in try await questions(bench) {
            let resource = question.resource, label = "\(bundled.name) \(resource.name)"
            if resource.declaration.show != nil {
                let listed = try #require(try await bench.pages(question).first?.items.first)
                let fetched = try await feed.item(listed.handle, of: resource, ifChangedFrom: Validator())
                guard case .changed(let shown, _) = fetched else { continue }
                #expect(shown.key == listed.key, "\(label)")
                for field in resource.declaration.fields where field.isDetail {
                    #expect(shown[field.name] != nil, "\(label) \(field.name)")
                }
            }
            if resource.declaration.search != nil {
                let pages = try await bench.pages(ListQuestion(resource, .search("name")))
                #expect(pages.flatMap(\.items).count == VendorMock.rowCount, "\(label)")
                #expect(pages.allSatisfy { $0.shortfall == nil }, "\(label)")
            }
        }
        _ = mock
    }
}
