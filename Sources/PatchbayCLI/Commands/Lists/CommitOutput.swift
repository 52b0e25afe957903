import PatchbayCore
import PatchbayDomain

/// Commits as records.
enum CommitOutput {
    static func list(_ commits: [Commit]) -> Listing {
        Listing(commits.map(record), names, .columns(listColumns))
    }

    private static let listColumns = [
        TableColumn("commit") { String($0["sha"].description.prefix(10)) },
        TableColumn("date", field: "committer_date"),
        TableColumn("author") {
            ($0["author_login"] == .null ? $0["author_name"] : $0["author_login"]).description
        },
        TableColumn("message", isElastic: true) {
            String($0["message"].description.prefix { !$0.isNewline })
        },
    ]

    static let names = FieldNames(record(Commit(sha: "")).names)

    private static func record(_ commit: Commit) -> OutputRecord {
        OutputRecord(
            [
                ("sha", .text(commit.sha)), ("node_id", OutputValue(commit.nodeID)),
                ("message", .text(commit.message)),
                ("parents", .list(commit.parents)),
                ("tree", OutputValue(commit.tree)), ("html_url", OutputValue(commit.htmlURL)),
                ("comment_count", OutputValue(commit.commentCount)),
                ("verified", OutputValue(commit.isVerified)),
                ("verification_reason", OutputValue(commit.verificationReason)),
            ] + fields("author", commit.author) + fields("committer", commit.committer))
    }

    private static func fields(
        _ role: String, _ signature: Commit.Signature
    ) -> [(name: String, value: OutputValue)] {
        [
            ("\(role)_name", OutputValue(signature.name)), ("\(role)_email", OutputValue(signature.email)),
            ("\(role)_date", OutputValue(signature.date?.description)),
            ("\(role)_id", OutputValue(signature.userID)),
            ("\(role)_login", OutputValue(signature.login)),
        ]
    }
}
