/// A pressed key.
enum BrowserKey: Hashable, Sendable {
    case text(String)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, delete
    /// A letter pressed with Ctrl, in upper case.
    case control(Character)
}
