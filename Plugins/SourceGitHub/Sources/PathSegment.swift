import PatchbayCore

/// Text as one segment of a URL's path.
struct PathSegment {
    let encoded: String

    init(_ text: String) { encoded = PercentEncoding.segment(text) }
}
