import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayQuery
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Paths and methods of the API")
struct RoutingTests {
    @Test("an unknown path is 404 with a problem as body")
    func unknown() async throws {
        let fixture = try await APIFixture()
        for path in [
            "/-/nothing", "/-/resources/", "/-/resources/people/user-1/what", "/-/resources//user-1",
        ] {
            let answer = await fixture.get(path)
            #expect(answer.status == 404, "\(path)")
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.json["status"]?.word == "404")
            #expect(answer.json["code"]?.word == "not found")
            #expect(answer.json["type"]?.word == "urn:patchbay:error:not-found")
        }
    }

    @Test("an unknown resource is 404 and lists the known ones and the nearest")
    func unknownResource() async throws {
        let answer = try await APIFixture().get("/-/resources/peopel")
        #expect(answer.status == 404)
        #expect(answer.detail.contains("did you mean \"people\"?"))
        #expect(answer.detail.contains("projects"))
        #expect(answer.parameter == "name")
    }

    @Test("an unsupported method is 405 and lists the supported ones")
    func otherMethod() async throws {
        let fixture = try await APIFixture()
        let answer = await fixture.send(.post, "/-/resources")
        #expect(answer.status == 405)
        #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
        let item = await fixture.send(.post, "/-/resources/people/user-1")
        #expect(item["Allow"] == "GET, PATCH, HEAD, OPTIONS")
        let favourite = await fixture.send(.get, "/-/resources/people/user-1/favourite")
        #expect(favourite.status == 405)
        #expect(favourite["Allow"] == "PUT, DELETE, OPTIONS")
    }

    @Test("rows of a resource without editable fields do not support PATCH")
    func notEditable() async throws {
        let answer = try await APIFixture().send(.patch, "/-/resources/projects/octocat%2Fp-1", [:], "{}")
        #expect(answer.status == 405)
        #expect(answer["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test("OPTIONS lists the methods of a path")
    func options() async throws {
        let fixture = try await APIFixture()
        let answer = await fixture.send(.options, "/-/resources/people/sync")
        #expect(answer.status == 204)
        #expect(answer["Allow"] == "GET, PATCH, POST, HEAD, OPTIONS")
        #expect(await fixture.send(.options, "/-/nothing").status == 404)
    }

    @Test("HEAD has the head of GET")
    func head() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let path = "/-/resources/people?limit=3&by=key"
        let (get, head) = (await fixture.get(path), await fixture.send(.head, path))
        #expect(head.status == 200)
        #expect(head.fields == get.fields)
    }

    @Test("a row may have the name of an operation with another method")
    func rowNamedSync() async throws {
        let fixture = try await APIFixture()
        fixture.feed.change("people") { $0[0]["login"] = .text("sync") }
        let answer = await fixture.get("/-/resources/people/sync")
        #expect(answer.status == 200)
        #expect(answer.json["login"]?.word == "sync")
    }

    @Test("resources of the same name are distinguished by their sources")
    func severalSources() async throws {
        let one = try await APIFixture(), other = try await APIFixture { $0.word = "other" }
        let api = APIResponder(
            [one.gateway, other.gateway], questions: StoredQuestions([one.gateway, other.gateway]),
            clock: one.clock.layerClock)
        let names = await TestAnswer(api.respond(to: APIFixture.request(.get, "/-/resources")))
            .json.elements.compactMap { $0["name"]?.word }
        #expect(names.contains("test.people") && names.contains("other.people"))
        let ambiguous = await TestAnswer(api.respond(to: APIFixture.request(.get, "/-/resources/people")))
        #expect(ambiguous.status == 404)
        #expect(ambiguous.detail.contains("test.people or other.people"))
        let found = await TestAnswer(
            api.respond(to: APIFixture.request(.get, "/-/resources/other.people/user-2")))
        #expect(found.json["login"]?.word == "user-2")
        #expect(other.feed.requests == ["person user-2"])
        #expect(one.feed.requests.isEmpty)
    }

    @Test("resources of a single source have plain names, and also answer to long ones")
    func longName() async throws {
        let fixture = try await APIFixture()
        #expect(await fixture.get("/-/resources/test.people/user-3").json["login"]?.word == "user-3")
    }

    @Test("the root lists the other paths, and each of them answers")
    func home() async throws {
        let fixture = try await APIFixture()
        let answer = await fixture.get("/-/")
        #expect(answer.status == 200)
        for (name, address) in answer.json.members where name != "events" {
            let answer = await fixture.get(address.word ?? "")
            #expect(answer.status == (name == "search" ? 400 : 200), "\(name)")
        }
    }
}
