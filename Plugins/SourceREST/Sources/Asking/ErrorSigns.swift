import PatchbayDomain

/// The members by which APIs usually state, with a status below 400, that a request failed or that rows are missing.
struct ErrorSigns {
    /// A member and its value, such as `"success" is false`; nil when there is none.
    let sign: String?

    private static let errors: Set = ["error", "errors", "errormessage", "fault", "exception"]
    private static let successes: Set = ["success", "ok", "succeeded"]
    private static let states: Set = ["status", "stat"]
    private static let failures: Set = ["error", "fail", "failed", "failure"]
    private static let losses: Set = [
        "timedout", "incompleteresults", "partial", "ispartial", "partialresults",
    ]
    private static let all = errors.union(successes).union(states).union(losses)
    /// Codes and texts of success.
    private static let none: Set = ["0", "ok", "none", "success"]

    /// Finds the sign in the body of an answer, beside the member that contains its rows.
    ///
    /// - Parameter isErrorDeclared: whether the definition states where an error is, so that only missing rows count.
    init(_ body: [UInt8], rows: JSONPath, isErrorDeclared: Bool) {
        guard case .member(let own)? = rows.steps.first else {
            // Members of the body are rows, or fields of one.
            sign = nil
            return
        }
        let wanted = isErrorDeclared ? Self.losses : Self.all
        let members = BodyValue.members(of: body) { $0 != own && wanted.contains(EndSigns.folded($0)) }
        sign = members.lazy.compactMap { Self.sign(EndSigns.folded($0.name), $0.name, $0.value) }.first
    }

    private static func sign(_ folded: String, _ name: String, _ value: BodyValue) -> String? {
        let path = JSONPath([.member(name)]).description
        switch value {
        case .boolean(false): return successes.contains(folded) ? "\"\(path)\" is false" : nil
        case .boolean(true) where losses.contains(folded): return "\"\(path)\" is true"
        case .text(let text) where states.contains(folded):
            return failures.contains(text.lowercased()) ? "\"\(path)\" is \(text)" : nil
        default:
            guard errors.contains(folded), !value.isEmpty else { return nil }
            let code = value.members.first { $0.name == "code" }?.value ?? value
            let isNone = code.shown.map { none.contains($0.lowercased()) } ?? false
            return isNone ? nil : "there is a value at \"\(path)\""
        }
    }
}
