import HTTPTypes
import PatchbayCore

/// A file of the web page at `/-/`. The files are built into the program and the same for every client.
struct PageFile: Sendable {
    let path: String
    let mediaType: String
    let bytes: [UInt8]
    /// A digest of the content, so that browsers replace cached files after an update of the program.
    let tag: String

    private init(_ path: String, _ mediaType: String, _ bytes: [UInt8]) {
        self.path = path
        self.mediaType = mediaType
        self.bytes = bytes
        tag = "\"" + String(UInt64(digestOf: bytes), radix: 36) + "\""
    }

    /// The document, at the same address as the list of paths for programs.
    static let document = PageFile(
        RequestTarget.prefix, "text/html; charset=utf-8", PackageResources.page_html)

    /// The files that the document loads.
    static let parts = [
        PageFile("style.css", "text/css; charset=utf-8", PackageResources.style_css),
        PageFile("icon.svg", "image/svg+xml", PackageResources.icon_svg),
        script("main.js", PackageResources.main_js), script("api.js", PackageResources.api_js),
        script("resources.js", PackageResources.resources_js), script("rows.js", PackageResources.rows_js),
        script("grid.js", PackageResources.grid_js), script("scale.js", PackageResources.scale_js),
        script("detail.js", PackageResources.detail_js), script("text.js", PackageResources.text_js),
    ]

    /// Returns a script without comments and indentation.
    private static func script(_ name: String, _ source: [UInt8]) -> PageFile {
        let lines = String(decoding: source, as: UTF8.self).split(separator: "\n").map(\.trimmingSpace)
        let code = lines.filter { line in !["//", "/*", "* ", "*/"].contains { line.hasPrefix($0) } }
        return PageFile(
            name, "text/javascript; charset=utf-8", Array((code.joined(separator: "\n") + "\n").utf8))
    }

    /// The path of the files; nothing else is below it.
    static let folder = RequestTarget.prefix + "page/"

    /// Returns the answer to a request below the page's folder; nil for a request elsewhere.
    static func part(for request: ServerRequest) -> ServerResponse? {
        guard [.get, .head].contains(request.head.method), let path = request.head.path,
            path.hasPrefix(folder)
        else { return nil }
        let name = path.dropFirst(folder.count)
        return parts.first { $0.path == name }?.response(to: request.head.headerFields)
    }

    /// The page may load its own files, send requests to its own server, and show pictures that its scripts have
    /// fetched. Trusted Types keep texts from becoming markup or code.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    /// The scripts as links, so that a browser requests all of them at once instead of one import after another.
    private static let preloads = parts.filter { $0.path.hasSuffix(".js") }
        .map { "<\(folder)\($0.path)>; rel=modulepreload" }.joined(separator: ", ")

    /// Returns the file, or 304 if the client has it.
    func response(to fields: HTTPFields) -> ServerResponse {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.eTag] = tag
        head.headerFields[.cacheControl] = "no-cache"
        head.headerFields[.contentSecurityPolicy] = Self.policy
        head.headerFields[.crossOriginOpenerPolicy] = "same-origin"
        if path == RequestTarget.prefix {
            head.headerFields[.vary] = "Accept"
            head.headerFields[.link] = Self.preloads
        }
        if let known = fields[.ifNoneMatch], EntityTag.isListed(tag, in: known) {
            head.status = .notModified
            return ServerResponse(head: head)
        }
        head.headerFields[.contentType] = mediaType
        return ServerResponse(head: head, body: .whole(bytes))
    }
}
