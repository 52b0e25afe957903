import HTTPTypes
import PatchbayCore

/// Decides whether a request may make changes, from the page that a browser reports as its sender. These are the five
/// rules of `http.CrossOriginProtection` in Go 1.25.
///
/// 1. GET, HEAD and OPTIONS make no changes and are allowed.
/// 2. `Sec-Fetch-Site: same-origin` and `none` are allowed; other values are not.
/// 3. A request without `Sec-Fetch-Site` and `Origin` was not sent by a browser and is allowed.
/// 4. An `Origin` whose host is the request's `Host` is allowed.
/// 5. A listed `Origin` is allowed regardless of rules 2 and 4.
struct OriginRule: Sendable {
    /// The allowed origins, in lower case.
    let origins: Set<String>

    func allows(_ head: HTTPRequest) -> Bool {
        if [.get, .head, .options].contains(head.method) { return true }
        let origin = head.headerFields[.origin]
        switch head.headerFields[.secFetchSite] {
        case nil, "": break
        case "same-origin", "none": return true
        default: return isListed(origin)
        }
        guard let origin, !origin.isEmpty else { return true }
        if let host = head.authority?.lowercased(), let sent = Self.host(of: origin), sent == host {
            return true
        }
        return isListed(origin)
    }

    /// Whether a page of this origin may read answers.
    func isListed(_ origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    /// Returns host and port as written, in lower case.
    private static func host(of origin: String) -> String? {
        origin.firstRange(of: "://").map { origin[$0.upperBound...].lowercased() }
    }
}
