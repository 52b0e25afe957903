/// What the body of an answer states about rate limits.
package struct BodyLimit: Sendable {
    /// The wait that it asks for before the next request; nil when it states none.
    package var wait: RetryAfter?
    /// Whether it refuses the request because of a limit, whatever the status is.
    package var isRefusal: Bool

    /// Creates the statement of a body.
    package init(wait: RetryAfter?, isRefusal: Bool) {
        self.wait = wait
        self.isRefusal = isRefusal
    }
}
