public import PatchbayDomain

extension BundledDefinition {
    /// Slack's Web API.
    public static let slack = BundledDefinition("slack", PackageResources.slack_conf)
    /// GitLab's REST API.
    public static let gitlab = BundledDefinition("gitlab", PackageResources.gitlab_conf)
    /// The API of Mastodon servers.
    public static let mastodon = BundledDefinition("mastodon", PackageResources.mastodon_conf)
    /// Hacker News.
    public static let hackernews = BundledDefinition("hackernews", PackageResources.hackernews_conf)
    /// The Python Package Index.
    public static let pypi = BundledDefinition("pypi", PackageResources.pypi_conf)
}

extension SourceAPI {
    /// Slack's Web API.
    public static var slack: SourceAPI { .rest(.slack) }
    /// GitLab's REST API.
    public static var gitlab: SourceAPI { .rest(.gitlab) }
    /// The API of Mastodon servers.
    public static var mastodon: SourceAPI { .rest(.mastodon) }
    /// Hacker News.
    public static var hackernews: SourceAPI { .rest(.hackernews) }
    /// The Python Package Index.
    public static var pypi: SourceAPI { .rest(.pypi) }
}
