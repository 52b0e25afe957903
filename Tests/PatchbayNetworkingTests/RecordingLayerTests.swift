import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayNetworking

@Suite("The layers around a recording")
struct RecordingLayerTests {
    private let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

    @Test("a recorder requests complete answers")
    func unconditional() async throws {
        let network = ScriptedNetworking(.status(200))
        var request = HTTPRequest.get("/users")
        request.headerFields[.ifNoneMatch] = "\"x\""
        request.headerFields[.ifModifiedSince] = "Tue, 01 Jan 2019 00:00:00 GMT"
        _ = try await network.layered(Unconditional()).send(request, body: [])
        #expect(network.sent[0].headerFields[.ifNoneMatch] == nil)
        #expect(network.sent[0].headerFields[.ifModifiedSince] == nil)
    }

    @Test("a request with a secret in path, query or body matches its recorded placeholder")
    func cleaned() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/a.har"
        let clock = ManualClock(jumps: true)
        var post = HTTPRequest.get("/login")
        post.method = .post
        let requests: [(HTTPRequest, String)] = [
            (HTTPRequest.get("/search?q=\(token)"), ""), (HTTPRequest.get("/x/\(token)/y"), ""),
            (post, #"{"login": "ada", "password": "s3cr3t"}"#),
        ]
        let network = ScriptedNetworking { _, _, number in .status(200, [:], "answer \(number)") }
            .layered(try Recorder(path: path, isAdding: false, clock: clock.layerClock))
        for (request, body) in requests { _ = try await network.send(request, body: Array(body.utf8)) }
        let replay = try Recording.open(path).layered(CleanedRequests())
        for (number, (request, body)) in requests.enumerated() {
            let answer = try await replay.send(request, body: Array(body.utf8))
            #expect(String(decoding: answer.body, as: UTF8.self) == "answer \(number)")
        }
        let error = await #expect(throws: PatchbayError.self) {
            try await replay.send(HTTPRequest.get("/none?q=\(token)"), body: [])
        }
        #expect(error?.code == .notFound && error?.message.contains(token) == false)
    }

    @Test(
        "a failure is replayed together with the attempts that followed it",
        arguments: [
            .status(502), .status(429, ["Retry-After": "3600"]),
            .status(403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800"]),
        ] as [Response])
    func attempts(_ failure: Response) async throws {
        let network = ScriptedNetworking(failure, failure, .status(200, [:], "here"))
        let replay = network.layered(RecordedAttempts())
        #expect(try await replay.get("/users").body == Array("here".utf8))
        #expect(network.sent.count == 3)
        let refused = try await ScriptedNetworking(failure).layered(RecordedAttempts()).get("/users")
        #expect(refused.head == failure.head)
    }

    @Test("so is a refusal in a body, whatever its status is")
    func refusedInBodies() async throws {
        func replay(_ limit: BodyLimit, _ status: Int) async throws -> Response {
            let network = ScriptedNetworking(.status(status, [:], "limited"), .status(200, [:], "here"))
            let attempts = RecordedAttempts { answer in
                answer.body == Array("limited".utf8) ? limit : BodyLimit(wait: nil, isRefusal: false)
            }
            return try await network.layered(attempts).get("/users")
        }
        let wait = BodyLimit(wait: .delay(.seconds(9)), isRefusal: false)
        #expect(try await replay(BodyLimit(wait: nil, isRefusal: true), 200).body == Array("here".utf8))
        #expect(try await replay(wait, 400).body == Array("here".utf8))
        #expect(try await replay(wait, 200).body == Array("limited".utf8))
    }

    @Test(
        "an answer that no layer would request again is replayed once", arguments: [200, 304, 403, 404, 410])
    func oneAttempt(_ status: Int) async throws {
        let network = ScriptedNetworking(.status(status), .status(200))
        #expect(try await network.layered(RecordedAttempts()).get("/users").head.status.code == status)
        #expect(network.sent.count == 1)
    }

    @Test("a request that was recorded with its secret is found unchanged")
    func uncleaned() async throws {
        let network = ScriptedNetworking(.status(200))
        _ = try await network.layered(CleanedRequests()).send(HTTPRequest.get("/a?q=\(token)"), body: [])
        #expect(network.paths == ["/a?q=\(token)"])
    }
}
