import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What happens to a browser.
enum BrowserEvent: Sendable {
    case key(BrowserKey)
    case resized(ScreenSize)
    /// The window shows something else, and which of its users are favourites.
    case window(Browser.Window, favourites: Set<Int64>)
    /// The window has done what it was asked.
    case moved
    /// What a search found, and which of it are favourites.
    case found(Browser.Found, favourites: Set<Int64>)
    /// What is known of the user whose detail is shown; more follows unless it is the ending.
    case detail(StoredUser?, isEnding: Bool)
    case favourite(Int64, Bool)
    /// A user was edited here.
    case changed(StoredUser)
    /// Something was done, or could not be.
    case note(Browser.Note)
    /// The source has answered what was asked beside the window.
    case answered
}

/// What a browser wants done.
enum BrowserEffect: Hashable, Sendable {
    case next(Int)
    case previous(Int)
    case jump(Int64)
    case jumpToStart
    case jumpToEnd
    case resize(Int)
    /// Asks the source about the users that the window shows.
    case refresh(after: Int64, limit: Int)
    case search(String)
    case show(String, Policy)
    case edit(String, name: String)
    case revert(String)
    case favourite(String, Bool)
    /// Leaves the terminal to the shell for a while.
    case suspend
    /// Paints all of the screen again.
    case repaint
    case quit
}
