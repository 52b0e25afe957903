import PatchbayCore
import PatchbayDomain
import Testing

@Suite("The schema and those before it")
struct SchemaTests {
    /// The collections of version 1, as storages keep them.
    static let first = [
        "users(id integer, login text, node_id text null, type text, user_view_type text null, site_admin integer, "
            + "avatar_url text null, gravatar_id text null, url text, html_url text null, name text null, "
            + "company text null, blog text null, location text null, email text null, hireable integer null, "
            + "bio text null, twitter_username text null, public_repos integer null, public_gists integer null, "
            + "followers integer null, following integer null, created_at_ms integer null, "
            + "updated_at_ms integer null, name_override text null, fetched_at_ms integer, "
            + "detail_fetched_at_ms integer null, detail_etag text null, detail_last_modified text null, "
            + "gone_at_ms integer null; key id; by_login login:nocase)",
        "user_pages(after_id integer, end_id integer, next text null, etag text null, last_modified text null, "
            + "fetched_at_ms integer; key after_id)",
    ]

    @Test("a storage of version 1 migrates without loss", arguments: first)
    func migration(_ definition: String) throws {
        let old = try #require(Collection(definition: definition))
        let new = try #require(Schema.patchbay.collections.first { $0.name == old.name })
        let migration = try new.migration(from: old)
        #expect(!migration.addedFields.isEmpty && migration.removedIndexes.isEmpty)
    }

    @Test("a Patchbay that knows only version 1, 2 or 3 is kept out")
    func version() { #expect(Schema.patchbay.version > 3) }
}
