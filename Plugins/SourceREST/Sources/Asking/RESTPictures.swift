import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Fetches the pictures of rows.
///
/// Pictures may come from other hosts than the API. An address is accepted only if it is on the server itself, on a
/// sibling host of the same domain, or on a host that ``RESTHooks/isPictureHost`` accepts, because an answer must not
/// make Patchbay contact arbitrary hosts. A redirect to one of these hosts is followed. Credentials are sent only to
/// the server itself.
struct RESTPictures: PictureSource {
    /// The maximum size of a picture, in bytes.
    static let bytesMax = 1 << 20
    /// The maximum number of redirects to other hosts.
    static let hopsMax = 3

    let server: RESTServer

    func picture(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Picture> {
        guard let address = HTTPAddress(url), isOurs(address) else {
            throw PatchbayError(
                .invalidValue, "the picture \(Quotation.quoted(url)) is not at \(server.host) or beside it")
        }
        var answer = try await request(address, validator)
        var hops = 0
        while let target = answer.redirectTarget, isOurs(target), hops < Self.hopsMax,
            target.scheme == "https" || answer.address.scheme == "http"
        {
            hops += 1
            answer = try await request(target, Validator())
        }
        switch answer.status {
        case 200: return .changed(try picture(in: answer), answer.validator)
        case 304 where answer.wasConditional: return .unchanged
        default:
            throw answer.error(
                missing: "there is no picture at \(Quotation.quoted(answer.address.display))",
                hooks: server.hooks)
        }
    }

    private func request(_ address: HTTPAddress, _ validator: Validator) async throws -> RESTAnswer {
        try await server.answer(at: address, accepting: "image/*", ifChangedFrom: validator)
    }

    private func picture(in answer: RESTAnswer) throws -> Picture {
        let type = answer.fields[.contentType] ?? ""
        let mediaType = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard mediaType.hasPrefix("image/") else {
            throw answer.invalid("it is not a picture but \(Quotation.quoted(type))")
        }
        guard answer.body.count <= Self.bytesMax else {
            throw answer.invalid("the picture has \(answer.body.count) bytes; the limit is \(Self.bytesMax)")
                .adding([.limit(Self.bytesMax)])
        }
        return Picture(bytes: answer.body, mediaType: mediaType)
    }

    private func isOurs(_ address: HTTPAddress) -> Bool {
        if server.isOurs(address.text) { return true }
        let host = address.authority
        let domain = server.host.lowercased().drop { $0 != "." }
        let isBeside = domain.dropFirst().contains(".") && host.hasSuffix(domain)
        return address.scheme == "https" && (isBeside || server.hooks.isPictureHost(host))
    }
}
