public import PatchbayDomain

extension SourceAPI {
    /// GitHub's REST API, version 2022-11-28.
    ///
    /// Hosts that speak it: `api.github.com`, `api.TENANT.ghe.com` and those of GitHub Enterprise Server
    /// that start with `api.github.`. A server that serves it under `/api/v3` is not told by its host.
    ///
    /// Each GitHub Enterprise Server and each tenant of `ghe.com` has ids of its own, so its rows are those of
    /// another API. Any other address is taken for a stand-in, a proxy or a mirror of `api.github.com`.
    public static var github: SourceAPI {
        var api = SourceAPI(
            name: "github", summary: "GitHub's REST API, or a GitHub Enterprise Server, over the network",
            isSpoken: { host in
                let host = host.lowercased()
                return host.hasPrefix("api.github.")
                    || (host.hasPrefix("api.") && host.hasSuffix(".ghe.com"))
            },
            open: { networking, baseURL, fingerprint in
                let server = GitHubServer(
                    networking: networking, baseURL: baseURL, fingerprint: fingerprint)
                let search = GitHubSearch(server: server)
                var source = Source(name: server.host, users: GitHubUsers(server))
                if let own = server.ownIDs { source.api = StoredSource.api("github", at: own) }
                source.identity = server.partition
                source.repositories = GitHubRepositories(server: server)
                source.commits = GitHubCommits(server: server)
                source.userSearch = search
                source.repositorySearch = search
                source.avatars = GitHubAvatars(server: server)
                source.raw = GitHubRaw(server: server)
                let resources = SourceAPI.githubDefinition.open(networking, baseURL, fingerprint: fingerprint)
                (source.resources, source.feed) = (resources.resources, resources.feed)
                source.status = { try await GitHubStatus(server: server).ask() }
                return source
            })
        api.ignoresCase = true
        api.baseURL = "https://api.github.com"
        api.baseURLHelp = "where the API is; https://HOST/api/v3 for a GitHub Enterprise Server"
        return api
    }
}
