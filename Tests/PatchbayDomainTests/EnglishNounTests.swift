import PatchbayDomain
import Testing

@Suite("English nouns")
struct EnglishNounTests {
    @Test(
        "have a singular by the usual rules",
        arguments: [
            ("users", "user"), ("pull_requests", "pull_request"), ("close_approaches", "close_approach"),
            ("categories", "category"), ("boxes", "box"), ("addresses", "address"), ("dishes", "dish"),
            ("statuses", "status"), ("houses", "house"), ("clauses", "clause"), ("uses", "use"),
            ("databases", "database"), ("aliases", "alias"), ("cached-movies", "cached-movie"),
            ("people", "person"), ("status", "status"), ("access", "access"), ("analysis", "analysis"),
            ("news", "news"), ("schema", "schema"), ("users2", "users2"), ("s", "s"),
        ])
    func singular(_ plural: String, _ singular: String) {
        #expect(EnglishNoun.singular(plural) == singular)
    }
}
