public import Patchbay

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
        var api = SourceAPI(
            name: "feed",
            definition: {
                var definition = Definition(api: "feed", resources: [UserFeed.users])
                definition.summary = "A server that publishes its users as JSON."
                definition.hosts = ["feed.*"]
                definition.authorization = .bearer
                return definition
            },
            open: { networking, baseURL, _ in
                var source = Source(name: baseURL)
                source.feed = UserFeed(networking: networking, baseURL: baseURL)
                return source
            })
        api.baseURLHelp = "the address of users.json without its name: https://feed.example.org"
        return api
    }
}
