import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Turns GitHub's JSON about repositories into repositories, straight from the bytes.
///
/// It takes both API versions and what older servers sent: unknown members are skipped, all but `id`, `name`
/// and `owner` or `full_name` may be absent or null. Of a member that comes twice the last counts.
enum RepositoryDecoder {
    /// The repository of `GET /repos/{owner}/{repo}`, with its detail.
    ///
    /// - Throws: ``FieldFault``
    static func single(_ body: [UInt8]) throws -> Repository {
        var reader = JSONReader(body.span.bytes)
        do {
            let repository = try repository(&reader, hasDetail: true)
            try reader.finish()
            return repository
        } catch let error as JSONError {
            throw FieldFault("", error.message)
        }
    }

    /// - Throws: ``FieldFault`` or `JSONError`.
    static func repository(_ reader: inout JSONReader, hasDetail: Bool) throws -> Repository {
        var draft = Draft()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                guard let field = RepositoryField(key) else {
                    try reader.skipValue()
                    continue
                }
                try draft.read(field, &reader)
            } catch {
                throw ListDecoder.fault(error).inMember(key.string())
            }
        }
        return try draft.finished(hasDetail: hasDetail)
    }
}

/// A repository while it is being read.
private struct Draft {
    private var repository = Repository(id: 0, owner: .init(id: 0, login: ""), name: "", url: "")
    private var fullName: String?
    private var facts = Repository.Facts()
    private var hasFacts = false
    private var detail = Repository.Detail()

    mutating func read(_ field: RepositoryField, _ reader: inout JSONReader) throws {
        switch field {
        case .id: repository.id = try reader.readInteger()
        case .name: repository.name = try reader.text()
        case .fullName: fullName = try reader.optionalText()
        case .owner: try readOwner(&reader)
        case .nodeID: repository.nodeID = try reader.optionalText()
        case .isPrivate: repository.isPrivate = try reader.optionalBool() ?? false
        case .isFork: repository.isFork = try reader.optionalBool() ?? false
        case .description: repository.description = try reader.optionalText()
        case .url: repository.url = try reader.optionalText() ?? ""
        case .htmlURL: repository.htmlURL = try reader.optionalText()
        case .parent: detail.parent = try reader.member("full_name")
        case .source: detail.source = try reader.member("full_name")
        case .subscribers: detail.subscribers = try reader.optionalInteger()
        case .network: detail.network = try reader.optionalInteger()
        default: try readFact(field, &reader)
        }
    }

    private mutating func readFact(_ field: RepositoryField, _ reader: inout JSONReader) throws {
        hasFacts = true
        switch field {
        case .homepage: facts.homepage = try reader.optionalText()
        case .language: facts.language = try reader.optionalText()
        case .defaultBranch: facts.defaultBranch = try reader.optionalText()
        case .visibility: facts.visibility = try reader.optionalText()
        case .stargazers: facts.stargazers = try reader.optionalInteger()
        case .forks: facts.forks = try reader.optionalInteger()
        case .openIssues: facts.openIssues = try reader.optionalInteger()
        case .size: facts.size = try reader.optionalInteger()
        case .archived: facts.isArchived = try reader.optionalBool()
        case .disabled: facts.isDisabled = try reader.optionalBool()
        case .isTemplate: facts.isTemplate = try reader.optionalBool()
        case .topics: facts.topics = try reader.texts()
        case .license: facts.license = try reader.member("spdx_id")
        case .hasIssues: facts.hasIssues = try reader.optionalBool()
        case .hasWiki: facts.hasWiki = try reader.optionalBool()
        case .hasPages: facts.hasPages = try reader.optionalBool()
        case .createdAt: facts.createdAt = try reader.optionalDate()
        case .updatedAt: facts.updatedAt = try reader.optionalDate()
        case .pushedAt: facts.pushedAt = try reader.optionalDate()
        default: try reader.skipValue()
        }
    }

    private mutating func readOwner(_ reader: inout JSONReader) throws {
        guard try !reader.readNull() else { return }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            do {
                switch UserField(key) {
                case .id: repository.owner.id = try reader.readInteger()
                case .login: repository.owner.login = try reader.text()
                case .type: repository.owner.type = try reader.optionalText()
                default: try reader.skipValue()
                }
            } catch {
                throw FieldFault(key.string(), error.message)
            }
        }
    }

    func finished(hasDetail: Bool) throws -> Repository {
        guard repository.id > 0 else {
            throw FieldFault("id", "expected a number above zero, found \(repository.id) or none")
        }
        guard !repository.name.isEmpty else { throw FieldFault("name", "expected a text, found none") }
        var finished = repository
        if finished.owner.login.isEmpty, let fullName {
            finished.owner.login = String(fullName.prefix { $0 != "/" })
        }
        guard !finished.owner.login.isEmpty else {
            throw FieldFault("owner.login", "expected a text, found none")
        }
        finished.fullName = fullName ?? "\(finished.owner.login)/\(finished.name)"
        finished.facts = hasFacts ? facts : nil
        finished.detail = hasDetail ? detail : nil
        return finished
    }
}
