package import Patchbay

/// An event that a browser handles.
enum BrowserEvent: Sendable {
    case key(BrowserKey)
    case resized(ScreenSize)
    /// The window has changed; with the keys of its favourites.
    case window(Browser.Window, favourites: Set<Key>)
    /// The window has finished moving by an effect.
    case moved(by: BrowserEffect)
    /// The rows of a filter or an order, with the keys of the favourites among them.
    case found(Browser.Found, favourites: Set<Key>)
    /// The row whose detail is shown; further answers follow unless this is the final one.
    case detail(Item?, isEnding: Bool)
    case favourite(Key, Bool)
    /// The children of the row of a ring with this key.
    case children(Key, Answer<ItemList>)
    /// A row was edited in this browser.
    case changed(Item)
    /// An action succeeded or failed.
    case note(Browser.Note)
    /// The source has answered a refresh.
    case answered
}

/// An action that a browser requests.
package enum BrowserEffect: Hashable, Sendable {
    case next(Int)
    case previous(Int)
    case jump(ListPosition)
    case jumpToStart
    case jumpToEnd
    case resize(Int)
    /// Refreshes rows of the window from the source, starting at a position.
    case refresh(from: ListPosition, limit: Int)
    /// Reads the stored rows that begin with a text.
    case search(String)
    /// Reads stored rows in an order.
    case sort(BrowserOrder, Bounds, limit: Int)
    case show(String, Policy)
    case edit(String, field: String, text: String)
    case revert(String, field: String)
    case favourite(String, Bool)
    /// Suspends the process and returns to the shell.
    case suspend
    /// Redraws the whole screen.
    case repaint
    case quit
}
