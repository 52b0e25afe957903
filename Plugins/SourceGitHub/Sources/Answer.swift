import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// An answer of GitHub's API to a question.
struct Answer {
    let address: HTTPAddress
    /// See ``GitHubServer/partition``.
    let partition: String
    /// Whether "not modified" answers the question.
    let wasConditional: Bool
    let response: Response

    var status: Int { response.head.status.code }

    /// What to ask with, whether this answer has changed.
    var validator: Validator {
        let fields = response.head.headerFields
        let validator = Validator(entityTag: fields[.eTag], lastModified: fields[.lastModified])
        guard validator.usableEntityTag != nil || validator.lastModified != nil else { return Validator() }
        return Validator(
            entityTag: validator.usableEntityTag, lastModified: validator.lastModified, partition: partition)
    }

    /// Where a redirect that no layer followed points to; nil for any other answer.
    var redirectTarget: HTTPAddress? {
        guard (300...399).contains(status), status != 304 else { return nil }
        return response.head.headerFields[.location].flatMap(address.resolving)
    }

    /// The body as records.
    ///
    /// - Parameter noun: what the body should be, for messages.
    func decoded<Value>(_ noun: String, by decode: ([UInt8]) throws -> Value) throws -> Value {
        do {
            return try decode(response.body)
        } catch let fault as FieldFault {
            throw invalid("it is not \(noun): \(fault.sentence)")
        }
    }

    /// The error for an answer that is not GitHub's API.
    func invalid(_ problem: String) -> PatchbayError {
        PatchbayError(
            .invalidResponse, "the answer of \(address.display) cannot be used: \(problem)", context)
    }

    /// Where it happened, for every error about this answer.
    var context: [String: String] {
        var context = ["url": address.display, "status": String(status)]
        context["x-github-request-id"] = response.head.headerFields[.gitHubRequestID].map(Quotation.plain)
        return context
    }
}
