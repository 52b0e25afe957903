import BenchmarkRows

extension BenchUser {
    /// The user that a generator made.
    init(_ user: UnsafePointer<row_user>) {
        func number(_ place: row_number) -> Int64 {
            withUnsafeBytes(of: user.pointee.numbers) {
                $0.load(fromByteOffset: Int(place.rawValue) * 8, as: Int64.self)
            }
        }
        func text(_ place: row_text_place) -> String? {
            withUnsafeBytes(of: user.pointee.texts) { texts in
                let text = texts.load(
                    fromByteOffset: Int(place.rawValue) * MemoryLayout<row_text>.stride, as: row_text.self)
                guard let start = text.start else { return nil }
                return String(
                    decoding: UnsafeRawBufferPointer(start: start, count: Int(text.count)), as: UTF8.self)
            }
        }
        self.init(
            id: number(ROW_ID), publicRepos: number(ROW_PUBLIC_REPOS), publicGists: number(ROW_PUBLIC_GISTS),
            followers: number(ROW_FOLLOWERS), following: number(ROW_FOLLOWING),
            createdAt: number(ROW_CREATED_AT), updatedAt: number(ROW_UPDATED_AT),
            fetchedAt: number(ROW_FETCHED_AT), isSiteAdmin: number(ROW_SITE_ADMIN) != 0,
            isFavourite: number(ROW_FAVOURITE) != 0, login: text(ROW_LOGIN) ?? "",
            nodeID: text(ROW_NODE_ID) ?? "",
            avatarURL: text(ROW_AVATAR_URL) ?? "", htmlURL: text(ROW_HTML_URL) ?? "",
            url: text(ROW_URL) ?? "",
            type: text(ROW_TYPE) ?? "", name: text(ROW_NAME), company: text(ROW_COMPANY),
            blog: text(ROW_BLOG),
            location: text(ROW_LOCATION), email: text(ROW_EMAIL), bio: text(ROW_BIO),
            twitterUsername: text(ROW_TWITTER_USERNAME))
    }
}
