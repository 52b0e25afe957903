import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The newest commits of the repositories that are printed, to print beside them.
struct NewestCommits {
    private let answers: [Int64: Answer<ListCommits.Window>]

    /// Asks for the commits of all of them, as many at the same time as the source takes.
    init(of repositories: [Repository], in gateway: Gateway, limit: Int = 10, policy: Policy) async {
        let commits = gateway.visibleCommits(limit: limit, policy: policy)
        var answers: [Int64: Answer<ListCommits.Window>] = [:]
        var seen: Set<Int64> = []
        let distinct = repositories.filter { seen.insert($0.id).inserted }
        for start in stride(from: 0, to: distinct.count, by: VisibleCommits.visibleMax) {
            let visible = Array(distinct[start...].prefix(VisibleCommits.visibleMax))
            await commits.show(visible)
            for await arrival in commits.arrivals {
                answers[arrival.repository.id] = arrival.answer
                if answers.count == start + visible.count { break }
            }
        }
        await commits.close()
        self.answers = answers
    }

    /// The commits of a repository; none when there are none or nobody knows.
    func commits(of repository: Repository) -> [Commit] { answers[repository.id]?.value?.commits ?? [] }

    static let names = ["commit_sha", "commit_date", "commit_message", "commit_state"]

    func fields(of repository: Repository) -> [(name: String, value: OutputValue)] {
        let commit = commits(of: repository).first
        let values = [
            OutputValue(commit?.sha), OutputValue(commit?.committer.date?.description),
            OutputValue(commit?.message), .text(state(of: repository)),
        ]
        return zip(Self.names, values).map { ($0, $1) }
    }

    /// `stored`, `fresh` or `unchanged`; `none` for a repository without commits; why they cannot be told.
    private func state(of repository: Repository) -> String {
        guard let answer = answers[repository.id] else { return "not asked" }
        if answer.value?.commits.isEmpty == true { return "none" }
        return switch answer.outcome {
        case .stored, .localOnly: answer.value == nil ? "not stored" : "stored"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed(let error): error.message
        }
    }

    /// The first line of the newest commit, or why there is none.
    static func cell(_ record: OutputRecord) -> String {
        guard record["commit_sha"] != .null else {
            return record["commit_state"] == .text("none")
                ? "no commits" : "(\(record["commit_state"].description))"
        }
        let date = record["commit_date"].description.prefix(10)
        return "\(date) \(record["commit_message"].description.prefix { !$0.isNewline })"
    }
}
