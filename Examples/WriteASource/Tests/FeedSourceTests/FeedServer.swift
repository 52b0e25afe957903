import HTTPTypes
import Patchbay

/// A feed server in memory.
struct FeedServer: Networking {
    let logins: [String]

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        try Task.checkCancellation()
        guard let text = text(at: request.path ?? "") else {
            return Response(head: HTTPResponse(status: .notFound), body: [])
        }
        let tag = "\"\(text.utf8.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) })\""
        let isKnown = request.headerFields[.ifNoneMatch] == tag
        var head = HTTPResponse(status: isKnown ? .notModified : .ok)
        head.headerFields[.eTag] = tag
        return Response(head: head, body: isKnown ? [] : Array(text.utf8))
    }

    private func text(at path: String) -> String? {
        if path.hasPrefix("/users.json?after="), let after = Int(path.dropFirst(18)) {
            let page = logins.indices.dropFirst(after).prefix(100)
            return "[" + page.map { #"{"id":\#($0 + 1),"login":"\#(logins[$0])"}"# }.joined(separator: ",")
                + "]"
        }
        let login = path.dropFirst("/users/".count).dropLast(".json".count)
        return logins.firstIndex(of: String(login)).map {
            #"{"id":\#($0 + 1),"login":"\#(login)","name":"User \#($0 + 1)","new":[1,{}]}"#
        }
    }
}
