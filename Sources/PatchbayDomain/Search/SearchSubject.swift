/// What a search is for.
public enum SearchSubject: String, Sendable, CaseIterable {
    case users, repositories
}
