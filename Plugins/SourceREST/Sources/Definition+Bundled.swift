import PatchbayCore
public import PatchbayDomain

extension Definition {
    /// Slack's Web API: users, conversations and their members.
    public static let slack = bundled("slack.conf", PackageResources.slack_conf)

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
