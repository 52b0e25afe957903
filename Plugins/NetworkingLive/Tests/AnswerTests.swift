#if Live
import Foundation
import HTTPTypes
@testable import NetworkingLive
import PatchbayCore
import TestServer
import Testing

@Suite("Answers", .timeLimit(.minutes(5)))
struct AnswerTests {
    private let gzipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
    ]
    private let deflated: [UInt8] = [120, 156, 203, 72, 205, 201, 201, 7, 0, 6, 44, 2, 21]

    @Test("status, fields and body are returned as they were sent")
    func plain() async throws {
        let response = try await ask([.answer("[1]", fields: ["ETag: \"a\"", "Link: <x>", "Link: <y>"])])
        #expect(response.head.status == .ok)
        #expect(response.text == "[1]")
        #expect(response.head.headerFields[.eTag] == "\"a\"")
        #expect(response.head.headerFields[values: .init("Link")!] == ["<x>", "<y>"])
    }

    @Test("gzip and deflate are inflated, and transfer fields are left out")
    func inflated() async throws {
        for (encoding, body) in [
            ("gzip", gzipped), ("x-gzip", gzipped), ("GZIP", gzipped), ("deflate", deflated),
        ] {
            let response = try await ask([.answer(body, fields: ["Content-Encoding: \(encoding)"])])
            #expect(response.text == "hello", "\(encoding)")
            for name in [.contentEncoding, .contentLength, .transferEncoding] as [HTTPField.Name] {
                #expect(response.head.headerFields[name] == nil, "\(encoding)")
            }
        }
    }

    @Test("several members, padding, both forms of deflate and several codings are decoded")
    func formsOfCoding() async throws {
        let raw = Array(deflated.dropFirst(2).dropLast(4))
        for (coding, body, text) in [
            ("gzip", gzipped + gzipped, "hellohello"), ("gzip", gzipped + [0, 0, 0], "hello"),
            ("deflate", raw, "hello"), ("deflate", deflated + [0], "hello"),
            ("identity", Array("hello".utf8), "hello"),
            ("identity, gzip", gzipped, "hello"), ("", Array("hello".utf8), "hello"),
        ] {
            let response = try await ask([.answer(body, fields: ["Content-Encoding: \(coding)"])])
            #expect(response.text == text, "\(coding)")
        }
        let twice = try await ask(
            [.answer(gzipped + gzipped, fields: ["Content-Encoding: gzip", "Content-Encoding: identity"])])
        #expect(twice.text == "hellohello")
    }

    @Test("a body of many members is decoded in a time that is proportional to its size")
    func manyMembers() throws {
        func seconds(_ count: Int) throws -> Double {
            let body = Array(repeatElement(gzipped, count: count).joined())
            let start = processorSeconds()
            let text = try ContentCoding.decoded(body, ["gzip"], bytesMax: 1 << 26)
            #expect(text.count == 5 * count)
            return processorSeconds() - start
        }
        // Those of this thread, because other tests run meanwhile.
        func processorSeconds() -> Double {
            var time = timespec()
            _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        _ = try seconds(1_000)
        // A quadratic time would be 256 times as long.
        #expect(try seconds(64_000) < 64 * max(seconds(4_000), 0.002))
    }

    @Test("an unknown coding is named", arguments: ["utf-8", "none", "br", "gzip, zstd"])
    func unknownCoding(_ coding: String) async throws {
        let name = coding.split(separator: " ").last!
        await expectFailure(
            .invalidResponse, "encoded its body as \"\(name)\"",
            [.answer("hello", fields: ["Content-Encoding: \(coding)"])])
    }

    @Test("data after a compressed body is not ignored", arguments: ["gzip", "deflate"])
    func extraData(_ coding: String) async throws {
        let body = (coding == "gzip" ? gzipped : deflated) + Array("more".utf8)
        await expectFailure(
            .invalidResponse, coding == "gzip" ? "not valid gzip" : "extra data",
            [.answer(body, fields: ["Content-Encoding: \(coding)"])])
    }

    @Test("requests accept gzip and nothing else")
    func accepted() async throws {
        let server = try await ScriptedServer(["/": [.answer("x")]])
        let network = try LiveNetworking()
        _ = try await network.get("/", port: server.port)
        let request = try #require(server.seen.requests.first)
        #expect(request.lowercased().contains("accept-encoding: gzip\r\n"), "\(request)")
        try await network.close()
    }

    @Test("answers without a body are complete, even if their fields announce one")
    func bodyless() async throws {
        let fields = ["Content-Encoding: gzip"]
        let notModified = try await ask([.text("HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n")]
        )
        #expect(notModified.head.status.code == 304 && notModified.body.isEmpty)
        let noContent = try await ask([.text("HTTP/1.1 204 No Content\r\n\r\n")])
        #expect(noContent.head.status.code == 204 && noContent.body.isEmpty)
        #expect(try await ask([.answer("", fields: fields)]).body.isEmpty)
        let head = try await ask(
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Encoding: gzip\r\n\r\n")],
            method: .head)
        #expect(head.head.status == .ok && head.body.isEmpty)
    }

    @Test("interim answers are skipped")
    func interim() async throws {
        let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"
        let response = try await ask([.text(interim), .answer("[2]")])
        #expect(response.text == "[2]" && response.head.status == .ok)
    }

    @Test("redirects are not followed, and neither is a 304 with a location")
    func redirects() async throws {
        for status in ["301 Moved", "307 Moved", "304 Not Modified"] {
            let server = try await ScriptedServer([
                "/": [.text("HTTP/1.1 \(status)\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")]
            ])
            let network = try LiveNetworking()
            let response = try await network.get("/", port: server.port)
            #expect(response.head.headerFields[.location] == "/other")
            #expect(server.seen.requests.count == 1)
            try await network.close()
        }
    }

    @Test("a truncated body is never mistaken for a complete one")
    func cut() async throws {
        await expectFailure(
            .offline, "in the middle", [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1"), .close])
        await expectFailure(
            .offline, "in the middle",
            [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n"), .close])
        await expectFailure(
            .offline, "closed the connection",
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[1"), .reset])
        await expectFailure(
            .invalidResponse, "compressed",
            [.answer(Array(gzipped.dropLast(6)), fields: ["Content-Encoding: gzip"])])
        await expectFailure(
            .offline, "in the middle",
            [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhi"), .close])
        await expectFailure(.offline, "", [.close])
        await expectFailure(.offline, "", [.reset])
    }

    @Test(
        "input that is not HTTP is an error and does not crash",
        arguments: [
            "HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 150 X\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\nhi",
            "HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\nhi", "HTTP/9.9 banana\r\n\r\n",
            "SSH-2.0-OpenSSH_9\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Encoding: banana\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi",
        ])
    func malformed(_ answer: String) async throws {
        await expectFailure(.invalidResponse, "", [.text(answer), .close])
    }

    @Test("an unrequested answer is not returned to the next request")
    func unasked() async throws {
        // Sent together, because an answer that arrives after the next request looks like the one to it.
        let both = ["a", "unasked"].map { "HTTP/1.1 200 OK\r\nContent-Length: \($0.count)\r\n\r\n\($0)" }
        let server = try await ScriptedServer(["/a": [.text(both.joined())], "/b": [.answer("b")]])
        let network = try LiveNetworking()
        #expect(try await network.get("/a", port: server.port).text == "a")
        // The connection with the second answer is closed before the next request, or fails it.
        do {
            #expect(try await network.get("/b", port: server.port).text == "b")
        } catch let error as PatchbayError {
            #expect(error.code == .offline || error.code == .invalidResponse)
            #expect(try await network.get("/b", port: server.port).text == "b")
        }
        try await network.close()
    }
}
#endif
