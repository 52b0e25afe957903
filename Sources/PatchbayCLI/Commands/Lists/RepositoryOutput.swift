import PatchbayCore
import PatchbayDomain

/// Repositories as records, with the names that GitHub's API gives the fields.
enum RepositoryOutput {
    /// - Parameter commits: what is known about the commits, by the repositories' ids; nil when that was not asked.
    static func list(
        _ repositories: [Repository], commits: NewestCommits? = nil, refusals: [Int64: StoredRefusal] = [:]
    ) -> Listing {
        let records = repositories.map { repository in
            var record = record(repository)
            record.more = UserOutput.more(goneAt: nil, refusals[repository.id])
            record.fields += commits?.fields(of: repository) ?? []
            return record
        }
        let columns = commits == nil ? listColumns : commitColumns
        return Listing(records, names(withCommits: commits != nil), .columns(columns))
    }

    static func show(_ stored: StoredRepository, commits: NewestCommits? = nil) -> Listing {
        var record = record(stored.repository)
        record.more = UserOutput.more(goneAt: stored.goneAt, stored.refusal)
        record.fields += commits?.fields(of: stored.repository) ?? []
        return Listing([record], names(withCommits: commits != nil), .fields(shownFields))
    }

    /// The fields that have a value; the commits have a table of their own.
    @Sendable private static func shownFields(_ record: OutputRecord) -> [(name: String, value: String)] {
        let hidden = Set(["has_detail"] + NewestCommits.names)
        return record.fields.filter { $0.value != .null && !hidden.contains($0.name) }
            .map { ($0.name, $0.value.description) }
    }

    private static let listColumns = [
        TableColumn("id", alignment: .right), TableColumn("repository", field: "full_name"),
        TableColumn("flags") { record in
            let marks = [("private", "PRIVATE"), ("fork", "FORK"), ("archived", "ARCHIVED")]
            return marks.filter { record[$0.0] == .bool(true) }.map(\.1).joined(separator: " ")
        },
        TableColumn("language"), TableColumn("stars", alignment: .right, field: "stargazers_count"),
        TableColumn("pushed", field: "pushed_at"), TableColumn("description", isElastic: true),
    ]

    /// The newest commit takes the place of the description.
    private static let commitColumns =
        Array(listColumns.dropLast())
        + [TableColumn("newest commit", isElastic: true, value: NewestCommits.cell)]

    /// The names of a repository's fields.
    static func names(withCommits: Bool) -> FieldNames { withCommits ? names + NewestCommits.names : names }

    private static let names = FieldNames(
        record(Repository(id: 0, owner: .init(id: 0, login: ""), name: "", url: "")).names,
        more: UserOutput.more(goneAt: nil, nil).map(\.name))

    /// All fields; those that no answer told yet are null.
    private static func record(_ repository: Repository) -> OutputRecord {
        OutputRecord(
            listFields(repository) + factFields(repository.facts ?? Repository.Facts())
                + detailFields(repository.detail ?? Repository.Detail())
                + [("has_detail", .bool(repository.detail != nil))])
    }

    private static func listFields(_ repository: Repository) -> [(name: String, value: OutputValue)] {
        [
            ("id", .integer(repository.id)), ("node_id", OutputValue(repository.nodeID)),
            ("name", .text(repository.name)), ("full_name", .text(repository.fullName)),
            ("owner_id", .integer(repository.owner.id)), ("owner_login", .text(repository.owner.login)),
            ("owner_type", OutputValue(repository.owner.type)), ("private", .bool(repository.isPrivate)),
            ("fork", .bool(repository.isFork)), ("description", OutputValue(repository.description)),
            ("url", .text(repository.url)), ("html_url", OutputValue(repository.htmlURL)),
        ]
    }

    private static func factFields(_ facts: Repository.Facts) -> [(name: String, value: OutputValue)] {
        [
            ("homepage", OutputValue(facts.homepage)), ("language", OutputValue(facts.language)),
            ("default_branch", OutputValue(facts.defaultBranch)),
            ("visibility", OutputValue(facts.visibility)),
            ("stargazers_count", OutputValue(facts.stargazers)), ("forks_count", OutputValue(facts.forks)),
            ("open_issues_count", OutputValue(facts.openIssues)), ("size", OutputValue(facts.size)),
            ("archived", OutputValue(facts.isArchived)), ("disabled", OutputValue(facts.isDisabled)),
            ("is_template", OutputValue(facts.isTemplate)),
            ("topics", .list(facts.topics)),
            ("license", OutputValue(facts.license)), ("has_issues", OutputValue(facts.hasIssues)),
            ("has_wiki", OutputValue(facts.hasWiki)), ("has_pages", OutputValue(facts.hasPages)),
            ("created_at", OutputValue(facts.createdAt?.description)),
            ("updated_at", OutputValue(facts.updatedAt?.description)),
            ("pushed_at", OutputValue(facts.pushedAt?.description)),
        ]
    }

    private static func detailFields(_ detail: Repository.Detail) -> [(name: String, value: OutputValue)] {
        [
            ("subscribers_count", OutputValue(detail.subscribers)),
            ("network_count", OutputValue(detail.network)), ("parent", OutputValue(detail.parent)),
            ("source", OutputValue(detail.source)),
        ]
    }
}
