import PatchbayCore
import Testing

@Suite("the Link header")
struct LinkTests {
    @Test(
        "the next page is found in any order of relations and parameters",
        arguments: [
            ("<a>; rel=\"next\"", "a"),
            ("<p>; rel=\"prev\", <n>; rel=\"next\", <l>; rel=\"last\", <f>; rel=\"first\"", "n"),
            ("<n>; rel=\"next\", <l>; rel=\"last\", <f>; rel=\"first\", <p>; rel=\"prev\"", "n"),
            ("<a>; rel=next", "a"),
            ("<a>;rel=next;title=x", "a"),
            ("<a>; title=\"x, y; rel=prev\"; rel=\"next\"", "a"),
            ("<a>; REL=\"Next\"", "a"),
            ("<a>; rel=\"last next\"", "a"),
            ("<a>; rel = \"next\"", "a"),
            ("<a>; rel=\"prev\"; rel=\"next\"", nil),
            ("<a,b;c>; rel=\"next\"", "a,b;c"),
            ("<a>; title=\"\\\"<\"; rel=next", "a"),
            (",, <x>; rel=prev ,, <a>; rel=next ,", "a"),
            ("nonsense \"a,b\", <a>; rel=next", "a"),
            ("<a>; flag; rel=next", "a"), ("<a>; rel='next'", "a"),
            ("<b>; title='x, y'; rel='prev next'", "b"),
            ("<a", nil), ("", nil), ("<a>", nil), ("<a>; rel", nil), ("<a>; rel=\"next", "a"),
            ("<a>; rel=nextpage", nil),
        ] as [(String, String?)])
    func next(_ field: String, _ target: String?) {
        #expect(Link.target("next", in: field) == target)
    }

    @Test("without a header there is a single page")
    func absent() { #expect(Link.target("next", in: nil) == nil) }

    @Test("the target is not changed, whatever its path")
    func canonicalPath() {
        let field =
            "<https://api.github.com/user/26594/followers?page=2>; rel=\"next\", "
            + "<https://api.github.com/user/26594/followers?page=14>; rel=\"last\""
        #expect(Link.target("next", in: field) == "https://api.github.com/user/26594/followers?page=2")
    }

    @Test("a link about a deprecation is not a next page")
    func deprecation() {
        let field = "<https://docs.github.com/api-versions>; rel=\"deprecation\"; type=\"text/html\""
        #expect(Link.target("next", in: field) == nil)
        #expect(Link.target("deprecation", in: field) == "https://docs.github.com/api-versions")
        #expect(Link.target("next", in: field + ", <n>; rel=\"next\"") == "n")
    }

    @Test("a URI template in another relation does not matter")
    func template() {
        let field =
            "<https://api.github.com/users?since=135>; rel=\"next\", "
            + "<https://api.github.com/users{?since}>; rel=\"first\""
        #expect(Link.links(in: field).map(\.relations) == [["next"], ["first"]])
        #expect(Link.target("next", in: field) == "https://api.github.com/users?since=135")
    }

    @Test("a link whose page is said to be empty leads nowhere")
    func emptyPages() {
        let field = "<https://a.example/?cursor=2>; rel=\"next\"; results=\"false\"; cursor=\"2\""
        #expect(Link.links(in: field)[0].isEmpty && Link.target("next", in: field) == nil)
        let more = field.replacing("false", with: "true")
        #expect(Link.target("next", in: more) == "https://a.example/?cursor=2")
    }
}
