import HTTPTypes
import Patchbay
import PatchbayCore
import PatchbayTestKit
import Synchronization

/// A server with lists of every kind, searches, pictures, moved rows and refusals.
final class MadeAPI: Networking {
    static let definition = """
        api = made
        base-url = https://api.example.org
        people.noun = person people
        people.path = /people?since={after}
        people.order = id
        people.key = id
        people.handle = login
        people.title = name
        people.edit = name
        people.picture = avatar
        people.show = /people/{handle}
        people.search = /search/people?q={text}
        people.search-rows = items
        people.search-total = total
        people.search-incomplete = incomplete
        people.search-cap = 20
        people.field.id = integer
        people.field.login = text
        people.field.avatar = text
        people.detail.name = text
        people.detail.followers = integer
        projects.path = /people/{owner}/projects
        projects.key = id
        projects.handle = full-name OWNER/NAME
        projects.within = owner
        projects.show = /projects/{handle}
        projects.fresh = 1h
        projects.rate = 60000/minute
        projects.field.id = integer
        projects.field.owner = text
        projects.field.full-name = text
        projects.field.changed = time
        notes.path = /notes?since={after}
        notes.order = number
        notes.key = number
        notes.field.number = integer
        notes.field.text = text
        changes.path = /changes/{projects.id}
        changes.key = project sha
        changes.since = since at
        changes.changed = {projects.changed}
        changes.field.project = integer {projects.id}
        changes.field.sha = text
        changes.field.at = time

        """
    /// The ids of the people that the list contains, once the first complete list has been returned.
    static let people: [Int64] = (1...25).filter { $0 != 7 }
    static let projects: [Int64] = Array(1...7)

    /// Whether person 7 is still listed.
    let hasFirstPeople = Atomic(true)
    let isOffline = Atomic(false)
    private let visit = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// Calls `body` during the next request.
    func visits(_ body: @escaping @Sendable () async throws -> Void) { visit.withLock { $0 = body } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        if isOffline.load(ordering: .relaxed) {
            var error = PatchbayError(.offline, "cannot be reached")
            error.isUnreachable = true
            throw error
        }
        try await visit.withLock { $0.take() }?()
        let parts = (request.path ?? "/").split(separator: "?", omittingEmptySubsequences: false)
        var answer = answer(
            parts[0].split(separator: "/").map(String.init), parts.count > 1 ? String(parts[1]) : "")
        for (name, value) in [
            "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4000",
            "X-RateLimit-Reset": "\(Timestamp.now().milliseconds / 1_000 + 3_600)",
        ] { answer.head.headerFields[.init(name)!] = value }
        if let tag = request.headerFields[.ifNoneMatch], tag == answer.head.headerFields[.eTag] {
            answer.head.status = .notModified
            answer.body = []
        }
        return answer
    }

    private func answer(_ path: [String], _ query: String) -> Response {
        switch path.first {
        case "people" where path.count == 1: people(after: Int64(query.dropFirst("since=".count)) ?? 0)
        case "people" where path.count == 2: person(path[1])
        case "people": projects(of: path[1], page: Int(query.dropFirst("page=".count)) ?? 1)
        case "projects":
            project(path.last?.split(separator: "-").last.flatMap { Int64($0) } ?? 0).map { json($0) }
                ?? missing
        case "notes": notes(after: Int64(query.dropFirst("since=".count)) ?? 0)
        case "search": found(query.hasSuffix("=user"))
        case "changes":
            json(
                #"[{"sha": "a\#(path[1])", "at": "2026-01-02T03:04:05Z"}, {"sha": "b", "at": "2026-01-03"}]"#)
        case "pictures":
            Response(200, [("Content-Type", "image/png"), ("ETag", "\"p\"")], "\u{7F}PNG picture")
        default: json(#"{"doc": true}"#, [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")])
        }
    }

    private var missing: Response { Response(404, [("Content-Type", "application/json")], "{}") }

    private func json(_ body: String, _ fields: [(String, String)] = []) -> Response {
        let tag = body.utf8.reduce(UInt64(5_381)) { ($0 &* 33) ^ UInt64($1) }
        return Response(
            200, [("Content-Type", "application/json"), ("ETag", "\"\(tag)\"")] + fields, body)
    }

    private func row(_ id: Int64, details: Bool = false) -> String {
        #"{"id": \#(id), "login": "user-\#(id)", "avatar": "https://api.example.org/pictures/\#(id)""#
            + (details ? #", "name": "User \#(id)", "followers": \#(id)}"# : "}")
    }

    private func people(after value: Int64) -> Response {
        let all: [Int64] = hasFirstPeople.load(ordering: .relaxed) ? Array(1...25) : Self.people
        let rest = all.filter { $0 > value }, page = rest.prefix(10)
        return json(
            "[\(page.map { row($0) }.joined(separator: ", "))]",
            rest.count > 10
                ? [("Link", "<https://api.example.org/people?since=\(page.last ?? 0)>; rel=\"next\"")] : [])
    }

    private func person(_ login: String) -> Response {
        if login == "old-2" {
            return Response(301, [("Location", "https://api.example.org/people/user-2")], "")
        }
        if login == "user-8" { return Response(451, [("Content-Type", "application/json")], "{}") }
        guard login.hasPrefix("user-"), let id = Int64(login.dropFirst(5)), (1...30).contains(id) else {
            return missing
        }
        return json(row(id, details: true))
    }

    private func project(_ id: Int64) -> String? {
        guard Self.projects.contains(id) else { return nil }
        return #"{"id": \#(id), "owner": "user-1", "full_name": "user-1/p-\#(id)", "changed": "2026-01-04"}"#
    }

    private func notes(after value: Int64) -> Response {
        let page = (1...12).filter { $0 > value }.prefix(4)
        let rows = page.map { #"{"number": \#($0), "text": "note"}"# }
        return json(
            "[\(rows.joined(separator: ", "))]",
            (page.last ?? 12) < 12
                ? [("Link", "<https://api.example.org/notes?since=\(page.last ?? 0)>; rel=\"next\"")] : [])
    }

    private func projects(of owner: String, page: Int) -> Response {
        guard ["user-1", "user-3"].contains(owner), (1...3).contains(page) else { return missing }
        let rows = Self.projects.dropFirst((page - 1) * 3).prefix(3).compactMap { id in
            project(id).map {
                owner == "user-1"
                    ? $0 : $0.replacing("\(id)", with: "3\(id)").replacing("user-1", with: owner)
            }
        }
        return json(
            "[\(rows.joined(separator: ", "))]",
            page < 3
                ? [
                    (
                        "Link",
                        "<https://api.example.org/people/\(owner)/projects?page=\(page + 1)>; rel=\"next\", "
                            + "<https://api.example.org/people/\(owner)/projects?page=3>; rel=\"last\""
                    )
                ] : [])
    }

    private func found(_ hasResults: Bool) -> Response {
        let rows = hasResults ? Self.people.prefix(15).map { row($0) }.joined(separator: ", ") : ""
        return json(#"{"items": [\#(rows)], "total": \#(hasResults ? 15 : 0), "incomplete": false}"#)
    }
}
