public import HTTPTypes
public import PatchbayCore

/// Follows redirects: 301, 302, 303, 307 and 308 of a GET or HEAD, a few hops, never in a circle, never from https to
/// http, and never with credentials to another origin (RFC 9110, section 15.4).
public struct Redirects: NetworkingLayer {
    private let hopsMax: Int

    public init(hopsMax: Int = 5) { self.hopsMax = hopsMax }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        var request = request
        var visited: Set<String> = []
        while true {
            let response = try await next.send(request, body: body)
            guard request.method == .get || request.method == .head, let target = response.redirectTarget
            else { return response }
            let origin = WebAddress(of: request)
            visited.insert(origin.text)
            guard let address = origin.resolving(target) else {
                throw failure("points to \"\(target)\", which is no address", origin)
            }
            guard !visited.contains(address.text) else { throw failure("leads in a circle", origin) }
            guard visited.count <= hopsMax else { throw failure("goes on after \(hopsMax) hops", origin) }
            guard address.scheme == "https" || origin.scheme != "https" else {
                throw failure("leaves https for \"\(address.text)\"", origin)
            }
            request = request.moved(to: address, keepsCredentials: address.hasSameOrigin(as: origin))
        }
    }

    private func failure(_ problem: String, _ address: WebAddress) -> PatchbayError {
        PatchbayError(.invalidResponse, "the redirect of \"\(address.text)\" \(problem)")
    }
}

extension Response {
    /// Where a redirect points to; nil for any other answer.
    fileprivate var redirectTarget: String? {
        switch head.status.code {
        case 301, 302, 303, 307, 308: head.headerFields[.location]
        default: nil
        }
    }
}

extension HTTPRequest {
    fileprivate func moved(to address: WebAddress, keepsCredentials: Bool) -> HTTPRequest {
        var request = self
        request.scheme = address.scheme
        request.authority = address.authority
        request.path = address.path
        // The validators belong to the address that was asked first.
        for field in [.ifNoneMatch, .ifModifiedSince] as [HTTPField.Name] { request.headerFields[field] = nil }
        if !keepsCredentials {
            for field in [.authorization, .cookie, .proxyAuthorization] as [HTTPField.Name] {
                request.headerFields[field] = nil
            }
        }
        return request
    }
}

/// Scheme, authority and path with query of an http address.
private struct WebAddress {
    var scheme: String
    var authority: String
    var path: String

    var text: String { "\(scheme)://\(authority)\(path)" }

    init(of request: HTTPRequest) {
        scheme = (request.scheme ?? "https").lowercased()
        authority = (request.authority ?? "").lowercased()
        path = request.path ?? "/"
    }

    func hasSameOrigin(as other: WebAddress) -> Bool { scheme == other.scheme && authority == other.authority }

    /// The address that a `Location` means, seen from this one: absolute, `//host/path` or `/path`; a relative path is
    /// resolved against the folder of this one. Nil when it is not http(s).
    func resolving(_ location: String) -> WebAddress? {
        let location = location.prefix { $0 != "#" }
        guard !location.isEmpty, location.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        var address = self
        if location.hasPrefix("//") {
            return address.take(authorityAndPath: location.dropFirst(2)) ? address : nil
        }
        if let colon = location.firstRange(of: "://") {
            address.scheme = location[..<colon.lowerBound].lowercased()
            guard address.scheme == "https" || address.scheme == "http" else { return nil }
            return address.take(authorityAndPath: location[colon.upperBound...]) ? address : nil
        }
        if location.hasPrefix("/") {
            address.path = String(location)
        } else {
            let folder = path.prefix { $0 != "?" }.reversed().drop { $0 != "/" }
            address.path = String(folder.reversed()) + location
        }
        return address
    }

    private mutating func take(authorityAndPath text: Substring) -> Bool {
        let host = text.prefix { $0 != "/" && $0 != "?" }
        // Names and passwords in an address are an attack here, never a need.
        guard !host.isEmpty, !host.contains("@") else { return false }
        authority = host.lowercased()
        let rest = text[host.endIndex...]
        path = rest.hasPrefix("/") ? String(rest) : "/" + rest
        return true
    }
}
