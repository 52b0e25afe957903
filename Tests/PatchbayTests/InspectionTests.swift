import Foundation
import Patchbay
import PatchbayCore
import PatchbayTestKit
import TestSupport
import Testing

@Suite("Inspecting recordings")
struct InspectionTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func write(_ name: String, _ entries: String...) throws -> String {
        try folder.write(TestHAR.file(entries), to: name)
    }

    private func entry(
        _ path: String, status: Int = 200, next: String? = nil, body: String = "[]", request: String = "",
        headers: [String] = [], at date: String = "2026-01-02T03:04:05Z"
    ) -> String {
        let link = next.map {
            #"{"name": "Link", "value": "<https://api.example.org\#($0)>; rel=\"next\""}"#
        }
        let fields = (headers + [link].compactMap { $0 }).joined(separator: ", ")
        return """
            {"startedDateTime": "\(date)", "request": {"method": "GET",
              "url": "https://api.example.org\(path)"\(request)},
             "response": {"status": \(status), "headers": [\(fields)],
              "content": {"mimeType": "application/json", "text": \(TestHAR.quoted(body))}}}
            """
    }

    @Test("a summary counts exchanges, pages, statuses and gaps by endpoint")
    func summary() throws {
        let names = (0..<20).map { entry("/users/name\($0)", status: $0 == 7 ? 404 : 200) }
        let path = try write(
            "a.har", entry("/users?since=1", next: "/users?since=2", at: "2025-05-06T00:00:00Z"),
            entry("/users?since=2", next: "/users?since=3"), entry("/user/17/repos"),
            entry("/user/18/repos", next: "/user/18/repos?page=2"), names.joined(separator: ","))
        let summary = try RecordingSummary(of: path)
        #expect(summary.endpoints.map(\.path) == ["/user/{id}/repos", "/users", "/users/{name}"])
        #expect(summary.endpoints.map(\.counts.exchanges) == [2, 2, 20])
        #expect(summary.endpoints.map(\.counts.pages) == [1, 2, 0])
        #expect(summary.endpoints.map(\.counts.gaps) == [1, 1, 0])
        #expect(summary.endpoints[2].counts.statuses == [200: 19, 404: 1])
        #expect(summary.counts.gaps == 2)
        #expect(summary.counts.first?.description.hasPrefix("2025-05-06T00:00:00") == true)
        #expect(summary.hosts == ["api.example.org"])
    }

    @Test("the endpoints do not depend on the order of the exchanges")
    func order() throws {
        var generator = SeededGenerator(seed: 7)
        let paths = (0..<300).map { "/repos/owner\($0 % 12)/repo\($0)/\(["commits", "branches"][$0 % 2])" }
        let sorted = try RecordingSummary(
            of: try write("a.har", paths.map { entry($0) }.joined(separator: ",")))
        let mixed = paths.shuffled(using: &generator).map { entry($0) }.joined(separator: ",")
        let shuffled = try RecordingSummary(of: try write("b.har", mixed))
        #expect(sorted.endpoints.map(\.path) == shuffled.endpoints.map(\.path))
        #expect(
            sorted.endpoints.map(\.path) == [
                "/repos/{name}/{name}/branches", "/repos/{name}/{name}/commits",
            ])
    }

    @Test("a list that continues in another file of the folder is complete")
    func chains() throws {
        let first = try write("a.har", entry("/users", next: "/users?since=9"))
        #expect(try RecordingCheck(of: first).counts == [.gap: 1])
        _ = try write("b.har", entry("/users?since=9"))
        #expect(try RecordingCheck(of: folder.path).faults.isEmpty)
    }

    @Test("a relative address of the next page is that of the recorded request")
    func relativeLinks() throws {
        func link(_ target: String) -> String { #"{"name": "Link", "value": "<\#(target)>; rel=\"next\""}"# }
        let path = try write(
            "a.har", entry("/users", headers: [link("/users?since=9")]),
            entry("/users?since=9", headers: [link("?since=10")]))
        let check = try RecordingCheck(of: path)
        #expect(check.faults.map(\.entry) == [2])
        #expect(
            check.faults.first?.message
                == "the next page was not recorded: GET https://api.example.org/users?since=10")
    }

    @Test("secrets outside the entries are found, because browsers copy addresses to the titles of pages")
    func otherTexts() throws {
        let path = try write("a.har", entry("/users"))
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        let text = try String(contentsOfFile: path, encoding: .utf8).replacing(
            "\"entries\":",
            with: #""pages": [{"title": "https://x.org/?q=\#(token)"}], "comment": "\#(token)", "entries":"#)
        try folder.write(text, to: "a.har")
        let check = try RecordingCheck(of: path)
        #expect(check.exchanges == 1)
        #expect(check.faults.map(\.place) == ["log.pages.title byte 17", "log.comment byte 0"])
        #expect(check.faults.allSatisfy { $0.kind == .secret && $0.entry == nil })
    }

    @Test("a file that is not a HAR file is a fault, and the other files are still checked")
    func damage() throws {
        _ = try write("a.har", entry("/users"))
        try folder.write("{}", to: "b.har")
        _ = try write("c.har", entry("/x", next: "/y"))
        let check = try RecordingCheck(of: folder.path)
        #expect(check.counts == [.damage: 1, .gap: 1])
        #expect(check.faults.first?.file.hasSuffix("b.har") == true)
        #expect(throws: PatchbayError.self) { try RecordingCheck(of: folder.path + "/none.har") }
    }

    @Test("an exchange without an answer, and a 304 that is the only answer, cannot be replayed")
    func unanswered() throws {
        let path = try write(
            "a.har", entry("/a", status: 0, body: ""), entry("/a"), entry("/b", status: 304, body: ""),
            entry("/c", status: 304), entry("/d", status: 304, body: ""), entry("/d"))
        let check = try RecordingCheck(of: path)
        #expect(check.exchanges == 6 && check.counts == [.damage: 2])
        #expect(check.faults.map(\.entry) == [1, 3])
        #expect(
            check.faults.map(\.message) == [
                "got no answer when it was recorded, so it is not replayed",
                "has the status 304 without contents, so it answers only conditional requests; record it again "
                    + "with an empty browser cache",
            ])
        #expect(try RecordingSummary(of: path).counts.statuses == [0: 1, 200: 2, 304: 3])
    }

    @Test("an invalid entry is a separate fault, and the rest of its file is checked")
    func unreadable() throws {
        let number = "3"
        let path = try write(
            "a.har", entry("/users", next: "/y"), entry("/a", headers: [number]),
            #"{"request": {"method": "GET"}, "response": {"status": 200}}"#, "17",
            entry("/b", request: #", "headers": [\#(number)]"#), entry("/c?access_token=abc"))
        let check = try RecordingCheck(of: path)
        #expect(check.exchanges == 6)
        #expect(check.counts[.damage] == 3 && check.counts[.gap] == 1 && check.counts[.secret] == 1)
        #expect(check.faults.filter { $0.kind == .damage }.map(\.entry) == [2, 3, 4])
        #expect(check.faults.allSatisfy { $0.entry != 3 || $0.message.contains("has no request.url") })
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let byte = text[..<text.firstRange(of: "17,")!.lowerBound].utf8.count
        #expect(check.faults.contains { $0.entry == 4 && $0.message.hasSuffix("at byte \(byte)") })
        let summary = try RecordingSummary(of: path)
        #expect(summary.unreadable == 3 && summary.counts.exchanges == 3)
        let whole = try write("b.har", entry("/users", next: "/y"), entry("/a"), entry("/b"))
        let (differences, _) = try RecordingDifference.between(path, whole)
        #expect(differences.count { $0.kind == .unreadable } == 2)
        let header = differences.first { $0.request.hasSuffix("/a") }
        #expect(header?.kind == .answer && header?.detail?.contains("entry 2 of the recording") == true)
    }

    @Test("secrets are found everywhere, reported by place, and never shown")
    func secrets() throws {
        let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
        let encoded = Data(token.utf8).base64EncodedString()
        let places = [
            (entry("/a?q=\(token)"), "request.url byte"),
            (entry("/a?access_token=abc"), "request.url byte"),
            (
                entry("/a", request: #", "headers": [{"name": "Authorization", "value": "abc"}]"#),
                "request.headers \"Authorization\""
            ),
            (
                entry("/a", request: #", "headers": [{"name": "X-Figma-Token", "value": "abc"}]"#),
                "request.headers \"X-Figma-Token\""
            ),
            (entry("/a#access_token=abc"), "request.url byte"),
            (
                entry("/a", request: #", "cookies": [{"name": "session", "value": "abc"}]"#),
                "request.cookies \"session\""
            ),
            (
                entry("/a", request: #", "queryString": [{"name": "token", "value": "abc"}]"#),
                "request.queryString \"token\""
            ),
            (
                entry(
                    "/a",
                    request:
                        #", "postData": {"mimeType": "application/x-www-form-urlencoded", "text": "token=abc"}"#
                ),
                "request.postData byte"
            ),
            (
                entry(
                    "/a",
                    request: #", "postData": {"mimeType": "multipart/form-data; boundary=B", "#
                        + #""text": "--B\r\nA: form-data; name=\"password\"\r\n\r\nabc\r\n--B--"}"#),
                "request.postData byte"
            ),
            (
                entry("/a", request: #", "postData": {"mimeType": "x", "text": "\#(token)"}"#),
                "request.postData byte"
            ),
            (
                entry("/a", headers: [#"{"name": "X-Echo", "value": "\#(token)"}"#]),
                "response.headers \"X-Echo\""
            ),
            (entry("/a", body: #"{"bio": "\#(token)"}"#), "response.content byte 9"),
            (entry("/a", body: #"{"client_secret": "abc"}"#), "response.content byte"),
            (entry("/a", body: #"{"temp_clone_token": "AB3abc"}"#), "response.content byte 22"),
            (entry("/a", body: #"{"url": "https://ada:abc@example.org/"}"#), "response.content byte 21"),
            (entry("/a", body: #"{"hook": "{\"secret\": \"abc\"}"}"#), "response.content byte"),
            (entry("/a", body: "key AKIAIOSFODNN7EXAMPLE"), "response.content byte 4"),
            (entry("/a", body: token.replacing("g", with: #"\\u0067"#)), "response.content byte 0"),
            (entry("/a", headers: [#"{"name": "\#(token)", "value": "abc"}"#]), "response.headers \"...\""),
            (entry("/a", request: #", "_note": {"\#(token)": "\#(token)"}"#), "... byte 0"),
            (
                entry("/a", body: encoded).replacing(
                    #""mimeType""#, with: #""encoding": "base64", "mimeType""#),
                "response.content byte 0"
            ),
        ]
        for (entry, place) in places {
            let check = try RecordingCheck(of: try write("a.har", self.entry("/before"), entry))
            let faults = check.faults.filter { $0.kind == .secret }
            #expect(faults.first?.entry == 2, "\(place)")
            #expect(faults.first?.place?.hasPrefix(place) == true, "\(place): \(faults)")
            for fault in faults { #expect(!"\(fault)".contains(token) && !"\(fault)".contains("abc")) }
        }
    }

    @Test("a placeholder for a secret is not a fault")
    func placeholders() throws {
        let path = try write(
            "a.har", entry("/a?access_token=REDACTED&token=***"),
            entry("/a", request: #", "headers": [{"name": "Authorization", "value": "Basic removed"}]"#),
            entry("/a", request: #", "headers": [{"name": ":authority", "value": "example.org"}]"#),
            entry("/a", headers: [#"{"name": "x-continuation-token", "value": "abc"}"#]),
            entry("/a", body: #"{"token": "", "password": "xxxx"}"#))
        #expect(try RecordingCheck(of: path).faults.isEmpty)
    }

    @Test("a comparison reports what only one side contains and the first difference of each answer")
    func differences() throws {
        let date = #"{"name": "Date", "value": "today"}"#, tag = #"{"name": "ETag", "value": "1"}"#
        let first = try write(
            "a.har", entry("/same", body: #"{"a": 1, "b": [1, 2]}"#, headers: [date]), entry("/gone"),
            entry("/status"), entry("/body", body: #"{"list": [{"login": "a"}]}"#),
            entry("/text", body: "abcd"),
            entry("/header", headers: [tag]), entry("/twice"), entry("/members", body: #"{"a": 1, "b": 2}"#))
        let second = try write(
            "b.har", entry("/new"), entry("/same", body: #"{"b":[1,2],"a":1}"#),
            entry("/status", status: 404), entry("/body", body: #"{"list": [{"login": "b"}]}"#),
            entry("/text", body: "abxd"), entry("/header"), entry("/twice"), entry("/twice"),
            entry("/members", body: #"{"a": 1}"#))
        let (differences, count) = try RecordingDifference.between(first, second)
        let lines = differences.map {
            "\($0.kind.rawValue): \($0.request.dropFirst(27))\($0.detail.map { ", " + $0 } ?? "")"
        }
        #expect(
            lines == [
                "only in the first: /gone", "answered differently: /status, status: 200, 404",
                "answered differently: /body, body: list[0].login differs",
                "answered differently: /text, body: byte 2", "answered differently: /header, header: etag",
                "answered differently: /twice, 1 answers, 2",
                "answered differently: /members, body: b is only in the first", "only in the second: /new",
            ])
        #expect(count == 8)
        #expect(try RecordingDifference.between(first, first).count == 0)
    }

    @Test(
        "real recordings are read, equal themselves and contain no secrets",
        .enabled(if: Checkout.sharedRecordings != nil, "needs the shared recordings; set PATCHBAY_SHARED"))
    func shared() throws {
        let path = try #require(Checkout.sharedRecordings)
        let summary = try RecordingSummary(of: path)
        #expect(summary.counts.exchanges > 280)
        let check = try RecordingCheck(of: path)
        #expect(check.exchanges == summary.counts.exchanges)
        #expect(check.counts[.damage] == nil)
        #expect(check.counts[.gap] ?? 0 == summary.counts.gaps)
        #expect(try RecordingDifference.between(path, path).count == 0)
    }
}
