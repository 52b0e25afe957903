import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Browser {
    /// The widths of the columns of the list.
    private struct Columns {
        var id: Int
        var login: Int
        var name: Int
        /// 0 leaves the column out.
        var type: Int

        init(width: Int, idDigits: Int) {
            id = idDigits
            type = width >= 70 ? 12 : 0
            let rest = width - 4 - id - 2 - (type > 0 ? type + 2 : 0)
            login = rest < 24 ? max(0, rest) : min(39, rest * 45 / 100)
            name = max(0, rest - login - 2)
        }
    }

    var listLines: [BrowserScreen.Line] {
        let rows = rows
        let heading = isRoomy ? [self.heading] : []
        guard !rows.isEmpty else { return heading + [line(""), line("  " + emptyWords)] }
        let shown = shownRows
        let selectedRow = selectedRow
        return heading
            + shown.map { row in
                let isSelected = row == selectedRow
                return bar(text(of: rows[row], isSelected), isSelected ? .selected : .plain)
            }
    }

    /// The rows on the screen: fewer while a long note takes their place, and the selected one always.
    private var shownRows: Range<Int> {
        let height = max(1, listHeight - (noteLines.count > 1 && prompt == nil ? noteLines.count - 1 : 0))
        let first = max(top, (selectedRow ?? 0) - height + 1)
        return first..<max(first, min(first + height, rows.count))
    }

    private var columns: Columns {
        let greatest = rows.map(\.user.id).max() ?? 0
        return Columns(width: size.columns, idDigits: max(2, String(greatest).count))
    }

    private var heading: BrowserScreen.Line {
        let columns = columns
        let id = String(repeating: " ", count: max(0, columns.id - 2)) + "id"
        return bar(cells(["    " + id, "login", "name", "type"], columns), .heading)
    }

    /// `>` is the selected user, `*` a favourite, `~` a name that was edited here, `^` follows what was not fetched.
    private func text(of stored: StoredUser, _ isSelected: Bool) -> String {
        let user = stored.user
        let columns = columns
        let marks =
            (isSelected ? ">" : " ") + (favourites.contains(user.id) ? "*" : " ")
            + (user.nameOverride == nil ? " " : "~") + (isBehindGap(stored) ? "^" : " ")
        let id = String(user.id)
        let padding = String(repeating: " ", count: max(0, columns.id - id.count))
        let type = user.isSiteAdmin ? "STAFF" : stored.goneAt != nil ? "gone" : user.type
        return cells([marks + padding + id, user.login, user.name ?? "", type], columns)
    }

    private func cells(_ texts: [String], _ columns: Columns) -> String {
        let widths = [4 + columns.id, columns.login, columns.name, columns.type]
        return zip(texts, widths).filter { $1 > 0 }.map { padded($0, to: $1) }.joined(separator: "  ")
    }

    private var emptyWords: String {
        if found != nil { return "nobody; Esc goes back to the list" }
        if window?.list == .fetching || window == nil { return "asking \(source)…" }
        return isOffline
            ? "nothing is stored; start without --offline to fetch users"
            : "nothing is stored; r asks \(source)"
    }

    /// Where the list stands, how it goes on, and how old it is.
    func listState(at now: Timestamp) -> [String] {
        let shown = rows[shownRows]
        var parts: [String] = []
        if let found {
            let count = found.users.count
            parts.append(
                "\(count)\(found.isComplete ? "" : " or more") stored \(count == 1 ? "user" : "users")")
        } else {
            if let first = shown.first, let last = shown.last {
                parts.append("\(first.user.id)–\(last.user.id)")
            }
            if let words = gapWords { parts.append(words) }
            if let words = window.map(words) { parts.append(words) }
        }
        if let age = shown.map(\.fetchedAt).min()?.age(at: now) { parts.append(Self.words(age)) }
        return parts
    }

    /// The ids that were never fetched before a row on the screen.
    private var gapWords: String? {
        let gaps = shownRows.filter { $0 > 0 && isBehindGap(rows[$0]) }
        guard let first = gaps.first else { return nil }
        let ids = "\(rows[first - 1].user.id + 1)–\(rows[first].user.id - 1) not fetched"
        return gaps.count > 1 ? ids + " and \(gaps.count - 1) more" : ids
    }

    private func isBehindGap(_ stored: StoredUser) -> Bool {
        found == nil && window?.gaps.contains(stored.user.id) == true
    }

    static func words(_ age: Duration) -> String {
        age < .seconds(1) ? "stored just now" : "stored \(Age.text(age)) ago"
    }

    private func words(_ window: Window) -> String {
        if let error = window.error { return error.failure(of: source) }
        return switch window.list {
        case .fetching: "asking…"
        case .limitReached(let maximum): "the limit of \(maximum) is reached"
        case .endOfSource: "the end of the list"
        case .failed, .more: window.hasLater ? "more" : "the end of what is stored"
        }
    }
}
