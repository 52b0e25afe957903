import PatchbayJSON

/// The members of a repository's JSON that Patchbay keeps, by their keys.
enum RepositoryField: String {
    case id, url, name, owner, description
    case nodeID = "node_id"
    case fullName = "full_name"
    case isPrivate = "private"
    case isFork = "fork"
    case htmlURL = "html_url"

    // Not in the list of all public repositories.
    case homepage, language, visibility, size, archived, disabled, topics, license
    case defaultBranch = "default_branch"
    case stargazers = "stargazers_count"
    case forks = "forks_count"
    case openIssues = "open_issues_count"
    case isTemplate = "is_template"
    case hasIssues = "has_issues"
    case hasWiki = "has_wiki"
    case hasPages = "has_pages"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case pushedAt = "pushed_at"

    // Only in the answer about a single repository.
    case parent, source
    case subscribers = "subscribers_count"
    case network = "network_count"

    /// Tells the field from its key; nil for a member that is not kept.
    ///
    /// The length decides first, so that few keys are compared and nothing is allocated.
    init?(_ key: borrowing JSONText) {
        guard !key.hasEscapes else {
            self.init(rawValue: key.string())
            return
        }
        let field: RepositoryField? =
            switch key.bytes.byteCount {
            case 2...5: RepositoryField.short(key)
            case 6: key == "topics" ? .topics : key == "parent" ? .parent : key == "source" ? .source : nil
            case 7:
                key == "node_id" ? .nodeID : key == "private" ? .isPrivate : key == "license" ? .license : nil
            case 8: RepositoryField.ofEight(key)
            case 9:
                key == "full_name"
                    ? .fullName : key == "pushed_at" ? .pushedAt : key == "has_pages" ? .hasPages : nil
            case 10: RepositoryField.ofTen(key)
            case 11...17: RepositoryField.long(key)
            default: nil
            }
        guard let field else { return nil }
        self = field
    }

    private static func short(_ key: borrowing JSONText) -> RepositoryField? {
        switch key.bytes.byteCount {
        case 2: key == "id" ? .id : nil
        case 3: key == "url" ? .url : nil
        case 4: key == "name" ? .name : key == "fork" ? .isFork : key == "size" ? .size : nil
        default: key == "owner" ? .owner : nil
        }
    }

    private static func ofEight(_ key: borrowing JSONText) -> RepositoryField? {
        if key == "html_url" { return .htmlURL }
        if key == "language" { return .language }
        if key == "homepage" { return .homepage }
        if key == "archived" { return .archived }
        if key == "disabled" { return .disabled }
        return key == "has_wiki" ? .hasWiki : nil
    }

    private static func ofTen(_ key: borrowing JSONText) -> RepositoryField? {
        if key == "visibility" { return .visibility }
        if key == "has_issues" { return .hasIssues }
        if key == "created_at" { return .createdAt }
        return key == "updated_at" ? .updatedAt : nil
    }

    private static func long(_ key: borrowing JSONText) -> RepositoryField? {
        switch key.bytes.byteCount {
        case 11:
            key == "description"
                ? .description : key == "forks_count" ? .forks : key == "is_template" ? .isTemplate : nil
        case 13: key == "network_count" ? .network : nil
        case 14: key == "default_branch" ? .defaultBranch : nil
        case 16: key == "stargazers_count" ? .stargazers : nil
        case 17:
            key == "open_issues_count" ? .openIssues : key == "subscribers_count" ? .subscribers : nil
        default: nil
        }
    }
}
