import PatchbayCore
import PatchbayDomain
import Testing

@testable import PatchbayGateway

@Suite("The names of a gateway's resources")
struct GatewayResourcesTests {
    @Test("a resource is found by its name before another one by its singular")
    func namesFirst() async throws {
        let fixture = try await ResourceFixture(changing: { source in
            let list = ListDeclaration(nil, Template([.literal("/project")]))
            let other = ResourceDeclaration(
                "project", fields: [FieldDeclaration("id", .integer)], key: ["id"], lists: [list])
            source.resources.append(other)
        })
        let projects = try fixture.gateway.resource("projects")
        #expect(projects.singular == "project" && projects.name == "projects")
        #expect(try fixture.gateway.resource("project").name == "project")
    }

    @Test(
        "a resource is found by its name before another one by its collection, and not by a plural of several"
    )
    func clashes() async throws {
        let fixture = try await ResourceFixture(changing: { source in
            let list = ListDeclaration(nil, Template([.literal("/other")]))
            var other = ResourceDeclaration(
                "\(source.word)_projects", fields: [FieldDeclaration("id", .integer)], key: ["id"],
                lists: [list])
            source.resources.append(other)
            other.name = "others"
            other.plural = "many"
            source.resources.append(other)
            other.name = "more"
            source.resources.append(other)
        })
        let projects = try fixture.gateway.resource("projects").collection.name
        #expect(try fixture.gateway.resource(projects).name == projects)
        #expect { try fixture.gateway.resource("many") } throws: { error in
            (error as? PatchbayError)?.message
                == "several resources of source \(fixture.gateway.source.name) are called \"many\"; name one of "
                + "others, more"
        }
    }
}
