public import Patchbay

extension SourceAPI {
    /// A server that publishes its users as JSON.
    ///
    /// | request | answer |
    /// |---|---|
    /// | `GET /users.json?after=46` | an array of the users after that id, in id order, at most 100 |
    /// | `GET /users/ada.json` | one user: `{"id": 1, "login": "ada", "name": "Ada Lovelace"}`, or 404 |
    ///
    /// Answers carry an `ETag`; `If-None-Match` is answered with 304.
    public static var feed: SourceAPI {
        var api = SourceAPI(
            name: "feed",
            definition: {
                var definition = Definition(api: "feed", resources: [UserFeed.users])
                definition.summary = "Asks a server that publishes its users as JSON."
                definition.hosts = ["feed.*"]
                definition.authorization = .bearer
                return definition
            },
            open: { networking, baseURL, _ in
                var source = Source(name: baseURL)
                source.feed = UserFeed(networking: networking, baseURL: baseURL)
                return source
            })
        api.baseURLHelp = "where users.json is: https://feed.example.org"
        return api
    }
}
