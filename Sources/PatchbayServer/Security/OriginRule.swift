import HTTPTypes
import PatchbayCore

/// Decides whether a request may change something, by what browsers say about the page that sends it: the five rules
/// of `http.CrossOriginProtection` in Go 1.25.
///
/// 1. GET, HEAD and OPTIONS change nothing and are allowed.
/// 2. `Sec-Fetch-Site: same-origin` and `none` are allowed, any other value is not.
/// 3. Without `Sec-Fetch-Site` and `Origin` no browser sent the request, so it is allowed.
/// 4. An `Origin` whose host is the request's `Host` is allowed.
/// 5. An `Origin` that is listed is allowed, whatever 2 and 4 say.
struct OriginRule: Sendable {
    /// Origins that are allowed, in small letters.
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

    /// Host and port as they are written.
    private static func host(of origin: String) -> String? {
        origin.firstRange(of: "://").map { origin[$0.upperBound...].lowercased() }
    }
}
