import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// A `GET` of GitHub's API.
struct Question {
    static let mediaType = "application/vnd.github+json"
    static let apiVersion = "2022-11-28"

    let address: HTTPAddress
    let partition: String
    private var request: HTTPRequest
    /// Whether "not modified" is a possible answer.
    private let isConditional: Bool

    /// Asks with the entity tag where there is one, else with the date (semantics 12, 19); unconditionally
    /// when the validator came with another kind of answer, or with an answer to somebody else (semantics 15,
    /// 16).
    init(_ address: HTTPAddress, ifChangedFrom validator: Validator = Validator(), in partition: String) {
        self.address = address
        self.partition = partition
        request = address.request
        request.headerFields = Question.headerFields
        let isOurs = validator.partition == partition
        let tag = isOurs ? validator.usableEntityTag : nil
        let date = isOurs && tag == nil ? validator.lastModified : nil
        request.headerFields[.ifNoneMatch] = tag
        request.headerFields[.ifModifiedSince] = date
        isConditional = tag != nil || date != nil
    }

    /// Asks for another media type than the API's.
    func accepting(_ mediaType: String) -> Question {
        var question = self
        question.request.headerFields[.accept] = mediaType
        question.request.headerFields[.gitHubAPIVersion] = nil
        return question
    }

    func ask(_ networking: any Networking) async throws -> Answer {
        do {
            let response = try await networking.send(request, body: [])
            return Answer(
                address: address, partition: partition, wasConditional: isConditional, response: response)
        } catch let error as PatchbayError where error.code == .notFound {
            // Not GitHub says so, but a recording: nothing is known about the user.
            throw PatchbayError(.unsupported, error.message, error.context, cause: NotRecorded())
        }
    }

    private static let headerFields: HTTPFields = [
        .accept: mediaType,
        .gitHubAPIVersion: apiVersion,
        .userAgent: "patchbay/\(PatchbayVersion.current)",
    ]
}

extension Validator {
    /// The entity tag, unless it is empty (`W/""`): such a tag tells nothing.
    var usableEntityTag: String? {
        guard let entityTag, !["", "\"\"", "W/\"\""].contains(entityTag) else { return nil }
        return entityTag
    }
}

extension HTTPField.Name {
    static let link = HTTPField.Name("Link")!
    static let gitHubAPIVersion = HTTPField.Name("X-GitHub-Api-Version")!
    static let gitHubRequestID = HTTPField.Name("X-GitHub-Request-Id")!
}
