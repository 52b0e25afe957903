import HTTPTypes
import PatchbayCore
import PatchbayDomain

extension ErrorRules {
    /// Whether the definition marks an answer with a status below 400 and this body as an error.
    func marks(_ body: [UInt8]) -> Bool {
        switch mark {
        case nil, .some(.none): false
        case .present(let path): BodyValue(at: path, in: body)?.isEmpty == false
        case .absent(let path): BodyValue(at: path, in: body)?.isMark != true
        }
    }

    /// The text of an error at the definition's `error.text`; nil for an empty one.
    func text(in body: [UInt8]) -> String? { text.flatMap { BodyValue(at: $0, in: body)?.word } }

    /// The meaning of an error's text or status in the definition; nil if it has none.
    func meaning(of response: Response) -> Meaning? {
        text(in: response.body).flatMap(meaning) ?? meaning(of: String(response.head.status.code))
    }

    /// The wait that a body asks for at the definition's `error.wait`; nil without a number or a time there.
    func wait(in body: [UInt8]) -> RetryAfter? {
        wait.flatMap { BodyValue(at: $0, in: body)?.word }.flatMap { RetryAfter($0) }
    }

    /// What an answer's body states about limits.
    func limit(in response: Response) -> BodyLimit {
        let isRefusal =
            words[.rateLimited] != nil && (response.head.status.code >= 400 || marks(response.body))
            && meaning(of: response) == .rateLimited
        return BodyLimit(wait: wait(in: response.body), isRefusal: isRefusal)
    }
}
