import PatchbayCore
import PatchbayDomain
import Testing

@Suite("Repositories, commits and lists as rows")
struct RepositoryTests {
    private func roundTrip<R: Record>(_ record: R) throws -> R {
        var builder = RowBuilder()
        builder.begin(R.collection)
        record.write(to: &builder)
        return R(try builder.finish())
    }

    private var full: StoredRepository {
        var repository = Repository(
            id: 7, owner: .init(id: 2, login: "o", type: "Organization"), name: "n", url: "u")
        (repository.fullName, repository.nodeID, repository.htmlURL) = ("O/n", "N", "h")
        (repository.isPrivate, repository.isFork, repository.description) = (true, true, "d\u{2028}")
        var facts = Repository.Facts()
        (facts.homepage, facts.language, facts.defaultBranch) = ("p", "Swift", "main")
        (facts.visibility, facts.stargazers, facts.forks, facts.openIssues) = ("internal", 1, 2, 3)
        (facts.size, facts.isArchived, facts.isDisabled, facts.isTemplate) = (4, true, false, true)
        (facts.topics, facts.license) = (["a", "b-c"], "MIT")
        (facts.hasIssues, facts.hasWiki, facts.hasPages) = (true, false, true)
        facts.createdAt = Timestamp(milliseconds: 1)
        facts.updatedAt = Timestamp(milliseconds: 2)
        facts.pushedAt = Timestamp(milliseconds: -3)
        var detail = Repository.Detail()
        (detail.parent, detail.source, detail.subscribers, detail.network) = ("p/n", "s/n", 5, 6)
        (repository.facts, repository.detail) = (facts, detail)
        var stored = StoredRepository(repository: repository, fetchedAt: Timestamp(milliseconds: 1))
        stored.detailFetchedAt = Timestamp(milliseconds: 2)
        stored.detailValidator = Validator(entityTag: "\"x\"", lastModified: "then", partition: "me")
        stored.goneAt = Timestamp(milliseconds: 3)
        stored.refusal = StoredRefusal(
            Refusal(.blocked, reason: "dmca"), since: Timestamp(milliseconds: 4))
        return stored
    }

    @Test("a repository with everything, or with the least, comes back as it was")
    func repository() throws {
        let least = StoredRepository(
            repository: Repository(id: 1, owner: .init(id: 2, login: "o"), name: "n", url: "u"),
            fetchedAt: Timestamp(milliseconds: 0))
        #expect(try roundTrip(full) == full)
        #expect(try roundTrip(least) == least)
        #expect(least.repository.fullName == "o/n")
    }

    @Test("facts without topics are facts")
    func factsWithoutTopics() throws {
        var stored = full
        stored.repository.facts = Repository.Facts()
        #expect(try roundTrip(stored) == stored)
    }

    @Test("a row that tells less keeps the stored facts and the stored detail")
    func merging() {
        let stored = full.repository
        var row = Repository(id: 7, owner: .init(id: 3, login: "new"), name: "renamed", url: "u")
        #expect(row.merged(into: stored).facts == stored.facts)
        #expect(row.merged(into: stored).detail == stored.detail)
        #expect(row.merged(into: stored).fullName == "new/renamed")
        row.facts = Repository.Facts()
        #expect(row.merged(into: stored).facts == Repository.Facts())
        #expect(row.merged(into: nil) == row)
    }

    @Test("a commit with everything, or with the least, comes back as it was")
    func commit() throws {
        var commit = Commit(sha: "ab", message: "m", parents: ["c", "d"])
        (commit.tree, commit.nodeID, commit.htmlURL, commit.commentCount) = ("t", "N", "h", 0)
        (commit.isVerified, commit.verificationReason) = (false, "unsigned")
        (commit.author.name, commit.author.email, commit.author.login) = ("A", "a@x", "a")
        (commit.author.userID, commit.author.date) = (1, Timestamp(milliseconds: -1))
        (commit.committer.name, commit.committer.email, commit.committer.login) = ("B", "b@x", "b")
        (commit.committer.userID, commit.committer.date) = (2, Timestamp(milliseconds: 1))
        for commit in [commit, Commit(sha: "cd")] {
            let stored = StoredCommit(
                repositoryID: 7, commit: commit, fetchedAt: Timestamp(milliseconds: 5))
            #expect(try roundTrip(stored) == stored)
        }
    }

    @Test("a page of a list and a cursor come back as they were")
    func lists() throws {
        var page = StoredListPage(
            list: "l", position: 3, link: "https://x/2", fetchedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(page) == page)
        (page.next, page.keys, page.isFull, page.pageCount) = ("https://x/3", ["1", "2"], true, 9)
        page.validator = Validator(entityTag: "\"x\"", lastModified: "d", partition: "p")
        #expect(try roundTrip(page) == page)
        var run = StoredListRun(list: "l", query: "q", startedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(run) == run)
        (run.position, run.next, run.pages, run.rows, run.pageCount) = (4, "n", 5, 6, 7)
        run.finishedAt = Timestamp(milliseconds: 2)
        #expect(try roundTrip(run) == run)
    }
}
