public import PatchbayDomain

extension BundledDefinition {
    /// Slack's Web API.
    package static let slack = BundledDefinition("slack", PackageResources.slack_conf)
    /// GitLab's REST API.
    package static let gitlab = BundledDefinition("gitlab", PackageResources.gitlab_conf)
    /// The API of Mastodon servers.
    package static let mastodon = BundledDefinition("mastodon", PackageResources.mastodon_conf)
    /// Hacker News.
    package static let hackernews = BundledDefinition("hackernews", PackageResources.hackernews_conf)
    /// The Python Package Index.
    package static let pypi = BundledDefinition("pypi", PackageResources.pypi_conf)

    /// Definitions that were written from their vendors' descriptions, in the order of their names, from Asana to
    /// Zendesk.
    public static let described = [
        BundledDefinition("asana", PackageResources.asana_conf),
        BundledDefinition("confluence", hasSettings: true, PackageResources.confluence_conf),
        BundledDefinition("crates", PackageResources.crates_conf),
        BundledDefinition("digitalocean", PackageResources.digitalocean_conf),
        BundledDefinition("discord", PackageResources.discord_conf),
        BundledDefinition("gitea", PackageResources.gitea_conf),
        BundledDefinition("hubspot", PackageResources.hubspot_conf),
        BundledDefinition("jira", hasSettings: true, PackageResources.jira_conf),
        BundledDefinition("linear", PackageResources.linear_conf),
        BundledDefinition("notion", PackageResources.notion_conf),
        BundledDefinition("npm", PackageResources.npm_conf),
        BundledDefinition("okta", hasSettings: true, PackageResources.okta_conf),
        BundledDefinition("openalex", PackageResources.openalex_conf),
        BundledDefinition("pagerduty", PackageResources.pagerduty_conf),
        BundledDefinition("sentry", hasSettings: true, PackageResources.sentry_conf),
        BundledDefinition("stackexchange", hasSettings: true, PackageResources.stackexchange_conf),
        BundledDefinition("stripe", PackageResources.stripe_conf),
        BundledDefinition("wikipedia", hasSettings: true, PackageResources.wikipedia_conf),
        BundledDefinition("zendesk", hasSettings: true, PackageResources.zendesk_conf),
    ]
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
