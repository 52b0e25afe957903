import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A source of pictures for tests.
public final class ScriptedAvatarSource: AvatarSource {
    /// What was asked so far: `picture ADDRESS`, with `if changed` when conditional.
    public let answers: ScriptedAnswers
    private let avatars: Mutex<[String: Avatar]>

    /// - Parameters:
    ///   - avatars: the pictures by their addresses.
    ///   - answers: shared with another source, to write down what both were asked in its order.
    public init(_ avatars: [String: Avatar] = [:], answers: ScriptedAnswers = ScriptedAnswers()) {
        self.avatars = Mutex(avatars)
        self.answers = answers
    }

    /// Changes what the source will tell from now on.
    public func change(_ body: (inout [String: Avatar]) -> Void) { avatars.withLock { body(&$0) } }

    public func avatar(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Avatar> {
        try answers.answer("picture \(url)", validator) {
            guard let avatar = avatars.withLock({ $0[url] }) else {
                throw PatchbayError(.notFound, "there is no picture at \"\(url)\"")
            }
            return avatar
        }
    }
}
