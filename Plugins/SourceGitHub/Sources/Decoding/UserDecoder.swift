import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Turns GitHub's JSON about users into users, straight from the bytes.
///
/// Unknown members are skipped, optional ones may be absent or null; `id` and `login` must be there.
/// Of a member that comes twice the last counts. U+0000 in a text becomes U+FFFD, because no storage keeps
/// it.
enum UserDecoder {
    /// The most users that a page may hold; GitHub sends at most 100.
    static let pageUsersMax = 1_000

    /// The users of `GET /users`, in ascending id order. One that comes twice alike counts once.
    ///
    /// - Throws: ``FieldFault``
    static func page(_ body: [UInt8]) throws -> [User] {
        var users: [User] = []
        var reader = JSONReader(body.span.bytes)
        do {
            try reader.beginArray()
            while try reader.nextElement() {
                if let user = try element(after: users, &reader) { users.append(user) }
            }
            try reader.finish()
        } catch let error as JSONError {
            throw FieldFault("", error.message)
        }
        return users
    }

    /// The user of `GET /users/{login}`, with its detail.
    ///
    /// - Throws: ``FieldFault``
    static func single(_ body: [UInt8]) throws -> User {
        var reader = JSONReader(body.span.bytes)
        do {
            let user = try user(&reader, hasDetail: true)
            try reader.finish()
            return user
        } catch let error as JSONError {
            throw FieldFault("", error.message)
        }
    }

    private static func element(after users: [User], _ reader: inout JSONReader) throws -> User? {
        do {
            guard users.count < pageUsersMax else {
                throw FieldFault("", "more than \(pageUsersMax) users in a page")
            }
            let user = try user(&reader, hasDetail: false)
            if let last = users.last, user.id <= last.id {
                if users.contains(user) { return nil }
                throw FieldFault(
                    "id", "\(user.id) does not come after \(last.id), but a page is in ascending order")
            }
            return user
        } catch let fault as FieldFault {
            throw fault.inElement(users.count)
        } catch let error as JSONError {
            throw FieldFault("", error.message).inElement(users.count)
        }
    }
}

// MARK: - One user

extension UserDecoder {
    static func user(_ reader: inout JSONReader, hasDetail: Bool) throws -> User {
        var user = User(id: 0, login: "", url: "")
        var detail = hasDetail ? User.Detail() : nil
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                guard let field = UserField(key) else {
                    try reader.skipValue()
                    continue
                }
                if try user.read(field, &reader) { continue }
                if hasDetail { try detail?.read(field, &reader) } else { try reader.skipValue() }
            } catch {
                throw FieldFault(key.string(), error.message)
            }
        }
        try requireIdentity(of: user)
        user.detail = detail
        return user
    }

    private static func requireIdentity(of user: User) throws {
        guard user.id > 0 else {
            throw FieldFault("id", "expected a number above zero, found \(user.id) or none")
        }
        guard !user.login.isEmpty else { throw FieldFault("login", "expected a text, found none") }
    }
}

extension User {
    /// Reads a field that every answer about a user has; false, with nothing read, when it is none of these.
    fileprivate mutating func read(_ field: UserField, _ reader: inout JSONReader) throws(JSONError) -> Bool {
        switch field {
        case .id: id = try reader.readInteger()
        case .login: login = try reader.text()
        case .nodeID: nodeID = try reader.optionalText()
        case .type: type = try reader.optionalText() ?? type
        case .userViewType: userViewType = try reader.optionalText()
        case .siteAdmin: isSiteAdmin = try reader.optionalBool() ?? false
        case .avatarURL: avatarURL = try reader.optionalText()
        case .gravatarID: gravatarID = try reader.optionalText()
        case .url: url = try reader.optionalText() ?? ""
        case .htmlURL: htmlURL = try reader.optionalText()
        default: return false
        }
        return true
    }
}

extension User.Detail {
    fileprivate mutating func read(_ field: UserField, _ reader: inout JSONReader) throws(JSONError) {
        switch field {
        case .name: name = try reader.optionalText()
        case .company: company = try reader.optionalText()
        case .blog: blog = try reader.optionalText()
        case .location: location = try reader.optionalText()
        case .email: email = try reader.optionalText()
        case .hireable: isHireable = try reader.optionalBool()
        case .bio: bio = try reader.optionalText()
        case .twitterUsername: twitterUsername = try reader.optionalText()
        case .publicRepos: publicRepos = try reader.optionalInteger()
        case .publicGists: publicGists = try reader.optionalInteger()
        case .followers: followers = try reader.optionalInteger()
        case .following: following = try reader.optionalInteger()
        case .createdAt: createdAt = try reader.optionalDate()
        case .updatedAt: updatedAt = try reader.optionalDate()
        default: try reader.skipValue()
        }
    }
}
