public import Patchbay

extension BundledDefinition {
    /// The resources of the feed, in the words of a definition file.
    public static let feed = BundledDefinition(
        "feed",
        text: """
            api = feed
            summary = A server that publishes its users as JSON.
            hosts = feed.*
            auth = bearer

            users.path = /users.json?after={after}
            users.key = id
            users.handle = login
            users.title = name
            users.edit = name
            users.order = id
            users.show = /users/{handle}.json
            users.field.id = integer
            users.field.login = text
            users.detail.name = text
            """)
}

extension SourceAPI {
    /// A server that publishes its users as JSON.
    ///
    /// | request | response |
    /// |---|---|
    /// | `GET /users.json?after=46` | an array of up to 100 users after that id, ordered by id |
    /// | `GET /users/ada.json` | one user: `{"id": 1, "login": "ada", "name": "Ada Lovelace"}`, or 404 |
    ///
    /// Responses have an `ETag`, and `If-None-Match` is supported.
    public static var feed: SourceAPI {
        var api = SourceAPI(.feed) { networking, baseURL, _ in
            var source = Source(name: baseURL)
            source.feed = UserFeed(networking: networking, baseURL: baseURL)
            return source
        }
        api.baseURLHelp = "the address of users.json without its name: https://feed.example.org"
        return api
    }
}
