import PatchbayCore
public import PatchbayDomain

extension Definition {
    /// Slack's Web API: users, conversations and their members.
    public static let slack = bundled("slack.conf", PackageResources.slack_conf)

    /// The text of ``slack``.
    public static var slackText: String { String(decoding: PackageResources.slack_conf, as: UTF8.self) }

    /// A definition that was compiled into the program.
    ///
    /// A fault in it is a mistake of the program, which a test finds.
    public static func bundled(_ name: String, _ bytes: [UInt8]) -> Definition {
        let (definition, faults) = Definition.reading(path: name, bytes: bytes)
        guard let definition else { preconditionFailure("\(name): \(faults.map(\.description))") }
        return definition
    }
}

extension SourceAPI {
    /// Slack's Web API.
    public static var slack: SourceAPI { .rest(.slack) }
}
