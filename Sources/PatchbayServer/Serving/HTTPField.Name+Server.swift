import HTTPTypes

extension HTTPField.Name {
    static let acceptPatch = HTTPField.Name("Accept-Patch")!
    /// Whether the answer comes from the storage (RFC 9211).
    static let cacheStatus = HTTPField.Name("Cache-Status")!
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
    /// The state and completeness of the answer, as a dictionary of RFC 9651.
    static let patchbayAnswer = HTTPField.Name("Patchbay-Answer")!
    static let patchbayToken = HTTPField.Name("Patchbay-Token")!
    static let pragma = HTTPField.Name("Pragma")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let secFetchDest = HTTPField.Name("Sec-Fetch-Dest")!
    static let secFetchMode = HTTPField.Name("Sec-Fetch-Mode")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
