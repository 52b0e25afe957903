import PatchbayJSON

/// The members of a user's JSON that Patchbay keeps, by their keys.
enum UserField: String {
    case id, login, type, url
    case nodeID = "node_id"
    case userViewType = "user_view_type"
    case siteAdmin = "site_admin"
    case avatarURL = "avatar_url"
    case gravatarID = "gravatar_id"
    case htmlURL = "html_url"

    // Only in the answer about a single user.
    case name, company, blog, location, email, hireable, bio, followers, following
    case twitterUsername = "twitter_username"
    case publicRepos = "public_repos"
    case publicGists = "public_gists"
    case createdAt = "created_at"
    case updatedAt = "updated_at"

    /// Tells the field from its key; nil for a member that derives from others or is not known.
    ///
    /// The length decides first, so that at most four keys are compared and nothing is allocated.
    init?(_ key: borrowing JSONText) {
        guard !key.hasEscapes else {
            self.init(rawValue: key.string())
            return
        }
        let field: UserField? =
            switch key.bytes.byteCount {
            case 2...5: UserField.short(key)
            case 7: key == "node_id" ? .nodeID : key == "company" ? .company : nil
            case 8:
                key == "html_url"
                    ? .htmlURL : key == "location" ? .location : key == "hireable" ? .hireable : nil
            case 9: key == "followers" ? .followers : key == "following" ? .following : nil
            case 10: UserField.ofTen(key)
            case 11: key == "gravatar_id" ? .gravatarID : nil
            case 12: key == "public_repos" ? .publicRepos : key == "public_gists" ? .publicGists : nil
            case 14: key == "user_view_type" ? .userViewType : nil
            case 16: key == "twitter_username" ? .twitterUsername : nil
            default: nil
            }
        guard let field else { return nil }
        self = field
    }

    private static func short(_ key: borrowing JSONText) -> UserField? {
        switch key.bytes.byteCount {
        case 2: key == "id" ? .id : nil
        case 3: key == "url" ? .url : key == "bio" ? .bio : nil
        case 4: key == "type" ? .type : key == "name" ? .name : key == "blog" ? .blog : nil
        default: key == "login" ? .login : key == "email" ? .email : nil
        }
    }

    private static func ofTen(_ key: borrowing JSONText) -> UserField? {
        if key == "avatar_url" { return .avatarURL }
        if key == "site_admin" { return .siteAdmin }
        if key == "created_at" { return .createdAt }
        return key == "updated_at" ? .updatedAt : nil
    }
}
