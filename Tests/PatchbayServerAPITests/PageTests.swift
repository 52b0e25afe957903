import HTTPTypes
import PatchbayJSON
import Testing

@testable import PatchbayServer

@Suite("The files of the page")
struct PageTests {
    private static let browser = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]

    @Test("browsers get the page and programs the list of paths, at the same address")
    func negotiation() async throws {
        let fixture = try await APIFixture()
        let page = await fixture.get("/-/", Self.browser)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page["Vary"] == "Accept")
        #expect(page.text.hasPrefix("<!doctype html>"))
        #expect(page["Link"]?.contains("</-/page/main.js>; rel=modulepreload, ") == true)
        for accept in ["*/*", "application/json"] {
            let addresses = await fixture.get("/-/", ["Accept": accept])
            #expect(addresses["Content-Type"] == "application/json")
            #expect(addresses["Vary"] == "Accept")
        }
    }

    @Test("every file has its type, a strict policy, and a tag for 304")
    func files() async throws {
        let fixture = try await APIFixture()
        let types = ["css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"]
        for file in PageFile.parts {
            let path = PageFile.folder + file.path
            let answer = await fixture.get(path)
            #expect(answer.status == 200)
            let type = types[String(file.path.split(separator: ".").last ?? "")] ?? "?"
            #expect(answer["Content-Type"]?.hasPrefix(type) == true)
            let policy = answer["Content-Security-Policy"] ?? ""
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            #expect(await fixture.get(path, ["If-None-Match": answer.tag]).status == 304)
            #expect(await fixture.get(path, ["If-None-Match": "\"older\""]).status == 200)
        }
        #expect(await fixture.get("/-/page/other.js").status == 404)
        #expect(await fixture.send(.post, "/-/page/main.js").status == 404)
    }

    @Test("the page loads only its own files, and all of them")
    func closed() {
        let texts = ([PageFile.document] + PageFile.parts).map { String(decoding: $0.bytes, as: UTF8.self) }
        let all = texts.joined(separator: "\n")
        let document = texts[0]
        for file in PageFile.parts {
            #expect(all.contains("/-/page/\(file.path)") || all.contains("'./\(file.path)'"), "\(file.path)")
        }
        let names = Set(PageFile.parts.map(\.path))
        for place in [#/(?:src|href)="/-/page/([^"]+)"/#, #/from '\./([^']+)'/#] {
            for match in all.matches(of: place) { #expect(names.contains(String(match.1))) }
        }
        #expect(!document.contains("style=") && !document.contains("<script>") && !document.contains(" on"))
        #expect(!all.contains("innerHTML") && !all.contains("eval("))
        #expect(!all.contains(#/(?:src|href)="(?:https?:)?\/\//#))
    }

    @Test("the files have less than 70 KB in total")
    func size() {
        let bytes = ([PageFile.document] + PageFile.parts).map(\.bytes.count).reduce(0, +)
        #expect(bytes < 70 * 1024, "\(bytes)")
    }
}
