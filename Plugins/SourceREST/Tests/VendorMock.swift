import CPlatform
import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

/// Answers as a vendor's description shows them, from `Vendors/NAME.txt`: lists of five rows in pages of two.
///
/// A list is a section of `key = value` lines:
///
/// | key | meaning |
/// |---|---|
/// | `request` | method and path; `*` is one part of the path |
/// | `parameters` | the described parameters with their maximum; others are refused |
/// | `body`, `query` | a text of the body, or a parameter, for lists with one address |
/// | `parent` | the parameter that names the parent |
/// | `next` | how pages follow: `row PARAM VALUE`, `token PARAM`, `link PARAM`, `page PARAM`, `offset PARAM`, `none` |
/// | | `from PARAM VALUE`: as `row`, but the row itself is the first one |
/// | `answer`, `end` | the body; that of the last page if it differs |
/// | `row`, `rows` | a row; the number of rows if not five |
/// | `show` | path and body of one row |
///
/// In rows, `@n` is their number, and `@k` a number that no other row of the API has.
struct VendorMock: Sendable {
    private let lists: [[String: String]]

    static let rowCount = 5, pageRows = 2
    /// The time of every answer.
    static let date = "Tue, 06 Jan 2026 00:00:00 GMT"

    init(_ name: String) throws {
        let path = packageRoot + "/Plugins/SourceREST/Tests/Vendors/\(name).txt"
        let file = try unsafe #require(fopen(path, "r"))
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 100_000)
        unsafe bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        var lists: [[String: String]] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("[") {
                lists.append(["name": String(line.dropFirst().dropLast())])
            } else if let equals = line.firstRange(of: " = ") {
                lists[lists.count - 1][String(line[..<equals.lowerBound])] = String(
                    line[equals.upperBound...])
            }
        }
        self.lists = lists
    }

    /// The number of rows of each list of a resource.
    func rowCount(of name: String) -> Int {
        lists.first { $0["name"] == name }?["rows"].flatMap { Int($0) } ?? Self.rowCount
    }

    /// The number of requests for each list of a resource: numbers end with an empty page, and so does a list without
    /// a sign for its end.
    func requestCount(of name: String) -> Int {
        let list = lists.first { $0["name"] == name } ?? [:], next = list["next"] ?? ""
        let hasSign = (list["answer"] ?? "").contains("@more")
        if next == "none" { return 1 }
        return next.hasPrefix("page") || next.hasPrefix("from") || next.hasSuffix("tail")
            || next.hasPrefix("row") && !hasSign ? 4 : 3
    }

    /// The number of rows that come twice in a list of several pages: each begins with the last row of the one before.
    func repeatCount(of name: String) -> Int {
        let isRepeating = lists.first { $0["name"] == name }?["next"]?.hasPrefix("from") ?? false
        return isRepeating ? requestCount(of: name) - 1 : 0
    }

    func answer(_ request: HTTPRequest, _ body: String) -> Response {
        let target = request.path ?? ""
        let (path, query) = Self.parts(target)
        let method = request.method.rawValue
        let matches = lists.filter { list in
            let words = Self.words(list["request"])
            return words[0] == method && Self.matches(path, words[1])
                && (list["body"].map { body.contains($0) } ?? true)
                && (list["query"].map { name in query.contains { $0.0 == name } } ?? true)
        }
        let stars = { (list: [String: String]) in (list["request"] ?? "").count { $0 == "*" } }
        guard let list = matches.min(by: { stars($0) < stars($1) }) else { return show(path) }
        let sent = method == "GET" ? query : list["parameters"] == nil ? [] : Self.members(of: body)
        if let fault = Self.fault(sent, list["parameters"] ?? "") {
            return Response(400, [], #"{"message": "\#(fault)"}"#)
        }
        return page(of: list, path, query, body, "https://\(request.authority ?? "")\(path)")
    }

    private func page(
        of list: [String: String], _ path: String, _ query: [(String, String)], _ body: String,
        _ address: String
    ) -> Response {
        let parent = Self.parent(of: list, path, query), next = Self.words(list["next"])
        let parameter = next.count > 1 ? next[1] : ""
        let given = query.first { $0.0 == parameter }?.1 ?? Self.member(parameter, of: body)
        let pageRows = next[0] == "none" ? Self.rowCount : Self.pageRows
        var start = 0
        switch (next[0], given) {
        case (_, nil), (_, "*"): break
        case ("row", let value?):
            let found = (1...Self.rowCount).first { Self.filled(next[2], parent, $0) == value }
            guard let found else { return Response(400, [], #"{"message": "no such row"}"#) }
            start = found
        case ("from", let value?):
            let number = Int(value)
            let found = (1...Self.rowCount).first { row in
                let start = Self.filled(next[2], parent, row)
                return number.map { Int(start) ?? 0 >= $0 } ?? (start >= value)
            }
            start = (found ?? Self.rowCount + 1) - 1
        case ("page", let value?): start = ((Int(value) ?? 0) - 1) * pageRows
        case (_, let value?): start = Int(value.drop { $0 == "t" }) ?? 0
        }
        let end = min(start + pageRows, Self.rowCount)
        let rows = (start..<max(start, end)).map { Self.filled(list["row"] ?? "", parent, $0 + 1) }
        let hasMore = start + pageRows < Self.rowCount || next.last == "tail" && !rows.isEmpty
        let token = parameter == "page" ? "\(end)" : "t\(end)"
        let others = query.filter { $0.0 != parameter }.map { "\($0.0)=\(PercentEncoding.segment($0.1))" }
        let following = "?" + (others + ["\(parameter)=\(token)"]).joined(separator: "&")
        let values = [
            "@rows": "[\(rows.joined(separator: ", "))]", "@more": "\(hasMore)", "@total": "\(Self.rowCount)",
            "@from": "\(start)", "@cursor": "\"\(token)\"", "@next": hasMore ? "\"\(token)\"" : "null",
            "@query": hasMore ? "\"\(following)\"" : "null",
            "@url": hasMore ? "\"\(address)\(following)\"" : "null",
        ]
        let template = hasMore ? list["answer"] : list["end"] ?? list["answer"]
        let text = values.reduce(template ?? "") { $0.replacing($1.key, with: $1.value) }
        var fields = [("Date", Self.date)]
        if next[0] == "link", hasMore || next.last == "results" {
            let results = next.last == "results" ? "; results=\"\(hasMore)\"" : ""
            fields.append(("Link", "<\(address)\(following)>; rel=\"next\"\(results)"))
        }
        return Response(200, fields, text)
    }

    private func show(_ path: String) -> Response {
        for list in lists {
            guard let show = list["show"], let space = show.firstIndex(of: " ") else { continue }
            guard Self.matches(path, String(show[..<space])) else { continue }
            let digits = Self.digits(PercentEncoding.decoded(path)), number = Int(digits.suffix(1)) ?? 1
            let row = Self.filled(list["row"] ?? "", String(digits.dropLast()), number)
            let body = String(show[space...].dropFirst())
            return Response(200, [], body.replacing("@row", with: row))
        }
        return Response(404, [], #"{"message": "no such address"}"#)
    }

    private static func words(_ text: String?) -> [String] {
        (text ?? "").split(separator: " ", maxSplits: 2).map(String.init)
    }

    private static func matches(_ path: String, _ pattern: String) -> Bool {
        let parts = path.split(separator: "/"), patterns = pattern.split(separator: "/")
        return parts.count == patterns.count && path.hasSuffix("/") == pattern.hasSuffix("/")
            && zip(parts, patterns).allSatisfy { $1 == "*" || $0 == $1 }
    }

    private static func parts(_ target: String) -> (path: String, query: [(String, String)]) {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let items = (halves.count > 1 ? halves[1] : "").split(separator: "&").map { item in
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (PercentEncoding.decoded(sides[0]), PercentEncoding.decoded(sides.last ?? ""))
        }
        return (String(halves[0]), items)
    }

    /// Why the description does not allow a query; nil if it does.
    private static func fault(_ query: [(String, String)], _ described: String) -> String? {
        var most: [String: Int?] = [:]
        for word in described.split(separator: " ") {
            let sides = word.split(separator: "<").map(String.init)
            most[sides[0]] = .some(sides.count > 1 ? Int(sides[1].dropFirst()) : nil)
        }
        for (name, value) in query {
            guard let max = most[name] ?? most[name + "[]"] else { return "\(name) is not described" }
            if let max, let number = Int(value), number > max { return "\(name) is above \(max)" }
        }
        return nil
    }

    /// The numbers of the rows that the address names, which are part of the keys in their lists.
    private static func parent(of list: [String: String], _ path: String, _ query: [(String, String)])
        -> String
    {
        let pattern = words(list["request"])[1].split(separator: "/")
        let named = zip(path.split(separator: "/"), pattern).filter { $1 == "*" }.map { String($0.0) }
        let values = named + query.filter { $0.0 == list["parent"] }.map(\.1)
        return values.map { digits(PercentEncoding.decoded($0)) }.joined()
    }

    private static func digits(_ text: String) -> String {
        String(text.reversed().prefix { $0.isNumber }.reversed())
    }

    private static func filled(_ template: String, _ parent: String, _ number: Int) -> String {
        template.replacing("@k", with: "\(parent)\(number)").replacing("@n", with: "\(number)")
    }

    /// The members of a JSON body with the texts of numbers.
    private static func members(of body: String) -> [(String, String)] {
        let object = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
        return (object ?? ["a body that is not an object": ""]).map { ($0.key, "\($0.value)") }
    }

    /// The text of a member of a JSON body; nil if there is none.
    private static func member(_ name: String, of body: String) -> String? {
        guard let start = body.firstRange(of: "\"\(name)\":\"")?.upperBound else { return nil }
        return String(body[start...].prefix { $0 != "\"" })
    }
}
