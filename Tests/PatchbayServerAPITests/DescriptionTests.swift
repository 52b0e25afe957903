import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("The OpenAPI description")
struct DescriptionTests {
    private func document() async throws -> (APIFixture, JSONValue) {
        let fixture = try await APIFixture()
        let answer = await fixture.get("/-/openapi.json")
        #expect(answer.status == 200)
        return (fixture, answer.json)
    }

    @Test("every route is described for each resource that supports it")
    func isComplete() async throws {
        let (fixture, document) = try await document()
        var described: Set<String> = []
        for (path, operations) in document["paths"]?.members ?? [] {
            for (method, _) in operations.members { described.insert("\(method.uppercased()) \(path)") }
        }
        for route in RouteTable.all.routes {
            let resources: [ServedResource?] =
                route.path.text.contains("{name}") ? fixture.api.api.gateways.resources : [nil]
            for served in resources where served.map(route.isOffered) ?? true {
                let path = route.path.text.replacing("{name}", with: served?.name ?? "")
                #expect(described.contains("\(route.method.rawValue) \(path)"), "\(route.method) \(path)")
            }
        }
    }

    @Test("every described path accepts exactly the described methods")
    func isTrue() async throws {
        let (fixture, document) = try await document()
        let paths = document["paths"]?.members ?? []
        #expect(paths.count > 25)
        for (path, operations) in paths {
            let address =
                "/-"
                + path.replacing("{key}", with: "x").replacing("{field}", with: "name")
                .replacing("{sync}", with: "1")
            let allowed = await fixture.send(.options, address)["Allow"] ?? ""
            let methods = Set(allowed.split(separator: ", ")).subtracting(["HEAD", "OPTIONS"])
            #expect(methods == Set(operations.members.map { Substring($0.name.uppercased()) }), "\(path)")
        }
    }

    @Test("operations have unique ids, and every parameter belongs to its route")
    func parameters() async throws {
        let (_, document) = try await document()
        var ids: [String] = []
        for (path, operations) in document["paths"]?.members ?? [] {
            for (method, operation) in operations.members {
                ids.append(operation["operationId"]?.word ?? "")
                let word = ids.last?.prefix { $0 != "." } ?? ""
                let route = try #require(
                    RouteTable.all.routes.first { $0.operation == word }, "\(method) \(path)")
                let known = (route.parameters + [route.others].compactMap(\.self)).map(\.name)
                for parameter in operation["parameters"]?.elements ?? []
                where parameter["in"]?.word == "query" {
                    let name = parameter["name"]?.word ?? ""
                    #expect(known.contains(name), "\(name)")
                }
            }
        }
        #expect(Set(ids).count == ids.count)
    }

    @Test("a row has the described fields and no others")
    func rows() async throws {
        let (fixture, document) = try await document()
        let row = await fixture.get("/-/resources/people/user-1").json
        let schema = document["components"]?["schemas"]?["people"]?["properties"]?.members ?? []
        #expect(row.members.map(\.name) + RowNote.allCases.map(\.rawValue) == schema.map(\.name))
        #expect(schema.first { $0.name == "id" }?.value["type"]?.word == "integer")
        let name = schema.first { $0.name == "name_override" }?.value["type"]
        #expect(name?.elements.compactMap(\.word) == ["string", "null"])
    }

    @Test("the indexes of a resource are described by name")
    func indexes() async throws {
        let (_, document) = try await document()
        func names(_ resource: String, _ parameter: String) -> [String]? {
            let all = document["paths"]?["/resources/\(resource)"]?["get"]?["parameters"]?.elements ?? []
            let schema = all.first { $0["name"]?.word == parameter }?["schema"]
            return schema?["enum"]?.elements.compactMap(\.word)
        }
        #expect(names("people", "by") == ["key", "by_login", "by_name_folded"])
        #expect(names("people", "order") == ["ascending", "descending"])
    }

    @Test("resources are listed with their abilities")
    func resources() async throws {
        let fixture = try await APIFixture(fetching: "people")
        let answer = await fixture.get("/-/resources")
        let people = answer.json.elements[0]
        #expect(people["name"]?.word == "people")
        #expect(people["key"]?.elements.compactMap(\.word) == ["id"])
        #expect(people["handle"]?.word == "login")
        #expect(people["searched_by"]?.word == "source")
        #expect(people["count"]?.word == "50")
        #expect(
            people["indexes"]?.elements.compactMap { $0["name"]?.word } == [
                "key", "by_login", "by_name_folded",
            ])
        let projects = answer.json.elements[1]
        #expect(projects["lists"]?.elements.map { $0["of"]?.elements.compactMap(\.word) } == [["owner"], []])
        let changes = answer.json.elements[2]
        #expect(changes["lists"]?.elements[0]["of"]?.elements.compactMap(\.word) == ["projects"])
        #expect(await fixture.get("/-/resources", ["If-None-Match": answer.tag]).status == 304)
    }
}
