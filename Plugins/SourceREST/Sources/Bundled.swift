public import PatchbayDomain

extension BundledDefinition {
    /// Slack's Web API.
    public static let slack = BundledDefinition("slack", PackageResources.slack_conf)
}

extension SourceAPI {
    /// Slack's Web API.
    public static var slack: SourceAPI { .rest(.slack) }
}
