import HTTPTypes

extension HTTPField.Name {
    static let cacheStatus = HTTPField.Name("Cache-Status")!
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy")!
    static let gitHubAPIVersion = HTTPField.Name("X-GitHub-Api-Version")!
    static let link = HTTPField.Name("Link")!
    static let patchbayToken = HTTPField.Name("Patchbay-Token")!
    static let pragma = HTTPField.Name("Pragma")!
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
