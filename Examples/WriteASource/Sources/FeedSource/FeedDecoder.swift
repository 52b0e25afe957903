import Patchbay
import PatchbayJSON

/// Turns the feed's JSON into users.
enum FeedDecoder {
    static func users(_ body: [UInt8], from baseURL: String) throws -> [User] {
        var reader = JSONReader(body.span.bytes)
        do {
            var users: [User] = []
            try reader.beginArray()
            while try reader.nextElement() {
                guard users.count < FeedUsers.pageUsers else {
                    throw Fault(message: "more users than a page has")
                }
                users.append(try user(&reader, baseURL, isWhole: false))
            }
            try reader.finish()
            return users
        } catch {
            throw told(error, baseURL)
        }
    }

    static func user(_ body: [UInt8], from baseURL: String) throws -> User {
        var reader = JSONReader(body.span.bytes)
        do {
            let user = try user(&reader, baseURL, isWhole: true)
            try reader.finish()
            return user
        } catch {
            throw told(error, baseURL)
        }
    }

    private struct Fault: Error { let message: String }

    private static func user(
        _ reader: inout JSONReader, _ baseURL: String, isWhole: Bool
    ) throws -> User {
        var id: Int64 = 0, login = "", name: String?
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if key == "id" {
                id = try reader.readInteger()
            } else if key == "login" {
                login = try reader.readString()
            } else if key == "name" {
                name = try reader.readString()
            } else {
                try reader.skipValue()
            }
        }
        guard id > 0, !login.isEmpty else { throw Fault(message: "a user without id or login") }
        guard !(login + (name ?? "")).utf8.contains(0) else { throw Fault(message: "a text holds U+0000") }
        var user = User(id: id, login: login, url: "\(baseURL)/users/\(login).json")
        if isWhole { user.detail = User.Detail(name: name) }
        return user
    }

    private static func told(_ error: any Error, _ baseURL: String) -> PatchbayError {
        let problem = (error as? Fault)?.message ?? (error as? JSONError)?.message ?? "\(error)"
        return PatchbayError(.invalidResponse, "what \(baseURL) answers is no feed of users: \(problem)")
    }
}
