import CPlatform
import PatchbayDomain
import PatchbayJSON
import PatchbayTestKit
import Testing

/// The root of the package.
let packageRoot = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }

/// The folder of shared recordings: PATCHBAY_SHARED, or beside the checkout.
let sharedRecordings =
    unsafe (getenv("PATCHBAY_SHARED").map { unsafe String(cString: $0) } ?? packageRoot + "/../shared")
    + "/recordings"

@Suite("addresses that derive from a user's own")
struct DerivedURLTests {
    @Test("equal those of the bundled sample")
    func sample() throws {
        #expect(try check(packageRoot + "/Recordings/sample.har") > 200)
    }

    static let files = [
        "users_list_2013", "users_and_details_2019", "user_details_2019_2024", "search_users",
        "org_repos_2014_2016",
    ]

    @Test(
        "equal those of GitHub from 2013 to 2024",
        .enabled(
            if: unsafe access(sharedRecordings, R_OK) == 0,
            "needs the shared recordings; set PATCHBAY_SHARED"),
        arguments: files)
    func shared(_ file: String) throws {
        #expect(try check(sharedRecordings + "/\(file).har") > 0)
    }

    /// Compares the addresses of all users in a recording, and returns their number.
    private func check(_ path: String) throws -> Int {
        var count = 0
        for body in try bodies(of: path) {
            for object in objects(in: body) where object["gists_url"] != nil && object["login"] != nil {
                let derived = try derived(from: try #require(object["url"]))
                for (key, address) in derived { #expect(object[key] == address) }
                count += 1
            }
        }
        return count
    }

    static let names = [
        "followers_url", "following_url", "gists_url", "starred_url", "subscriptions_url",
        "organizations_url", "repos_url", "events_url", "received_events_url",
    ]

    /// Returns the addresses that the definition derives from a user's address, by name.
    private func derived(from url: String) throws -> [(name: String, address: String)] {
        let computed = Resource.users.declaration.computed
        #expect(computed.map(\.name) == Self.names)
        let user = try ScriptedFeed.item(
            ["id": .integer(1), "login": .text("a"), "url": .text(url)], of: .users)
        return try computed.map { name, template in
            let address = try template.expanded { parameter in
                guard case .argument(let field) = parameter else { return "" }
                return try #require(user.text(field))
            }
            return (name, address)
        }
    }

    private func bodies(of path: String) throws -> [[UInt8]] {
        let file = try unsafe #require(fopen(path, "r"))
        defer { unsafe fclose(file) }
        unsafe fseek(file, 0, SEEK_END)
        var bytes = unsafe [UInt8](repeating: 0, count: ftell(file))
        unsafe rewind(file)
        unsafe #expect(fread(&bytes, 1, bytes.count, file) == bytes.count)
        var bodies: [[UInt8]] = []
        var reader = JSONReader(bytes.span.bytes)
        try collect(&reader, key: "", into: &bodies)
        return bodies
    }

    /// Collects every `text` member at any depth.
    private func collect(_ reader: inout JSONReader, key: String, into bodies: inout [[UInt8]]) throws {
        switch try reader.peek() {
        case .object:
            try reader.beginObject()
            while let key = try reader.nextKey() { try collect(&reader, key: key.string(), into: &bodies) }
        case .array:
            try reader.beginArray()
            while try reader.nextElement() { try collect(&reader, key: "", into: &bodies) }
        case .string where key == "text":
            var body: [UInt8] = []
            try reader.readText().append(to: &body)
            bodies.append(body)
        default: try reader.skipValue()
        }
    }

    /// Returns the text members of a body's object or array of objects.
    private func objects(in body: [UInt8]) -> [[String: String]] {
        var objects: [[String: String]] = []
        var reader = JSONReader(body.span.bytes)
        do {
            if try reader.peek() == .object { return [try object(&reader)] }
            try reader.beginArray()
            while try reader.nextElement() { objects.append(try object(&reader)) }
            return objects
        } catch {
            // A body that is not JSON has no users.
            return []
        }
    }

    private func object(_ reader: inout JSONReader) throws -> [String: String] {
        var members: [String: String] = [:]
        guard try reader.peek() == .object else {
            try reader.skipValue()
            return members
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.peek() == .string {
                members[key.string()] = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        return members
    }
}
