/// When to use colours.
package enum ColourChoice: String, CaseIterable, Sendable {
    /// On a terminal, unless an environment variable forbids it; see ``Terminal/allowsColour``.
    case auto
    case always, never
}
