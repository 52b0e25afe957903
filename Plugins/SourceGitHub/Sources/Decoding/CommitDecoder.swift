import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Turns GitHub's JSON about commits into commits, straight from the bytes.
///
/// Unknown members are skipped; all but `sha` may be absent or null. Accounts that GitHub found stand beside
/// the names that the commit itself holds.
enum CommitDecoder {
    /// - Throws: ``FieldFault`` or `JSONError`.
    static func commit(_ reader: inout JSONReader) throws -> Commit {
        var commit = Commit(sha: "")
        try object(&reader) { key, reader in try commit.read(key, &reader) }
        guard isName(commit.sha) else {
            throw FieldFault("sha", "expected the 40 or 64 digits of a commit's name, found none")
        }
        guard commit.parents.allSatisfy(isName) else {
            throw FieldFault(
                "parents", "expected the 40 or 64 digits of a commit's name, found something else")
        }
        return commit
    }

    /// Reads an object member by member; null is one without members.
    fileprivate static func object(
        _ reader: inout JSONReader, _ read: (CommitField, inout JSONReader) throws -> Void
    ) throws {
        guard try !reader.readNull() else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                if let field = CommitField(key) { try read(field, &reader) } else { try reader.skipValue() }
            } catch {
                throw ListDecoder.fault(error).inMember(key.string())
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        let isHex = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return isHex && (text.utf8.count == 40 || text.utf8.count == 64)
    }
}

/// The members that are kept, at any depth.
private enum CommitField {
    case sha, nodeID, htmlURL, commit, author, committer, parents
    case message, tree, commentCount, verification, verified, reason
    case name, email, date, id, login

    init?(_ key: borrowing JSONText) {
        let field: CommitField? =
            switch key.bytes.byteCount {
            case 2: key == "id" ? .id : nil
            case 3: key == "sha" ? .sha : nil
            case 4: key == "name" ? .name : key == "date" ? .date : key == "tree" ? .tree : nil
            case 5: key == "login" ? .login : key == "email" ? .email : nil
            case 6: key == "commit" ? .commit : key == "author" ? .author : key == "reason" ? .reason : nil
            case 7:
                key == "message" ? .message : key == "parents" ? .parents : key == "node_id" ? .nodeID : nil
            case 8: key == "html_url" ? .htmlURL : key == "verified" ? .verified : nil
            case 9: key == "committer" ? .committer : nil
            case 12: key == "verification" ? .verification : nil
            case 13: key == "comment_count" ? .commentCount : nil
            default: nil
            }
        guard let field else { return nil }
        self = field
    }
}

extension Commit {
    fileprivate mutating func read(_ field: CommitField, _ reader: inout JSONReader) throws {
        switch field {
        case .sha: sha = try reader.text()
        case .nodeID: nodeID = try reader.optionalText()
        case .htmlURL: htmlURL = try reader.optionalText()
        case .author:
            try CommitDecoder.object(&reader) { field, reader in try author.readAccount(field, &reader) }
        case .committer:
            try CommitDecoder.object(&reader) { field, reader in try committer.readAccount(field, &reader) }
        case .commit: try CommitDecoder.object(&reader) { field, reader in try readContent(field, &reader) }
        case .parents: try readParents(&reader)
        default: try reader.skipValue()
        }
    }

    /// What the commit itself holds.
    private mutating func readContent(_ field: CommitField, _ reader: inout JSONReader) throws {
        switch field {
        case .message: message = try reader.optionalText() ?? ""
        case .tree: tree = try reader.member("sha")
        case .commentCount: commentCount = try reader.optionalInteger()
        case .author: try CommitDecoder.object(&reader) { field, reader in try author.read(field, &reader) }
        case .committer:
            try CommitDecoder.object(&reader) { field, reader in try committer.read(field, &reader) }
        case .verification:
            try CommitDecoder.object(&reader) { field, reader in try readVerification(field, &reader) }
        default: try reader.skipValue()
        }
    }

    private mutating func readVerification(_ field: CommitField, _ reader: inout JSONReader) throws {
        switch field {
        case .verified: isVerified = try reader.optionalBool()
        case .reason: verificationReason = try reader.optionalText()
        default: try reader.skipValue()
        }
    }

    private mutating func readParents(_ reader: inout JSONReader) throws {
        parents = []
        guard try !reader.readNull() else { return }
        try reader.beginArray()
        while try reader.nextElement() { parents.append(try reader.member("sha") ?? "") }
    }
}

extension Commit.Signature {
    fileprivate mutating func read(_ field: CommitField, _ reader: inout JSONReader) throws {
        switch field {
        case .name: name = try reader.optionalText()
        case .email: email = try reader.optionalText()
        case .date: date = try reader.optionalDate()
        default: try reader.skipValue()
        }
    }

    fileprivate mutating func readAccount(_ field: CommitField, _ reader: inout JSONReader) throws {
        switch field {
        case .id: userID = try reader.optionalInteger()
        case .login: login = try reader.optionalText()
        default: try reader.skipValue()
        }
    }
}
