import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What happens to a browser.
enum BrowserEvent: Sendable {
    case key(BrowserKey)
    case resized(ScreenSize)
    /// The window shows something else, and which of its rows are favourites.
    case window(Browser.Window, favourites: Set<Key>)
    /// The window has done what it was asked.
    case moved
    /// What a search found, and which of it are favourites.
    case found(Browser.Found, favourites: Set<Key>)
    /// What is known of the row whose detail is shown; more follows unless it is the ending.
    case detail(Item?, isEnding: Bool)
    case favourite(Key, Bool)
    /// A row was edited here.
    case changed(Item)
    /// Something was done, or could not be.
    case note(Browser.Note)
    /// The source has answered what was asked beside the window.
    case answered
}

/// What a browser wants done.
enum BrowserEffect: Hashable, Sendable {
    case next(Int)
    case previous(Int)
    case jump(ListPosition)
    case jumpToStart
    case jumpToEnd
    case resize(Int)
    /// Asks the source about rows that the window shows, from one on.
    case refresh(from: ListPosition, limit: Int)
    case search(String)
    case show(String, Policy)
    case edit(String, field: String, text: String)
    case revert(String, field: String)
    case favourite(String, Bool)
    /// Leaves the terminal to the shell for a while.
    case suspend
    /// Paints all of the screen again.
    case repaint
    case quit
}
