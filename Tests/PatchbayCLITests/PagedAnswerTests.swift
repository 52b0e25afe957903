import PatchbayCore
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("All pages as one array")
struct PagedAnswerTests {
    @Test(
        "the items of a page are the text between its brackets",
        arguments: [
            ("[]", ""), (" [ ] \n", ""), ("[1]", "1"),
            ("[ 1 , [2], {\"a\": \"]\"} ]\r\n", "1 , [2], {\"a\": \"]\"}"),
        ])
    func items(_ body: String, _ expected: String) throws {
        #expect(try PagedAnswer.items(of: Array(body.utf8), at: "/x") == ArraySlice(Array(expected.utf8)))
    }

    @Test(
        "a page that is not an array is refused",
        arguments: [
            ("{}", PatchbayError.Code.unsupported), ("", .unsupported), ("1", .unsupported),
            ("[1", .invalidResponse), ("[1] 2", .invalidResponse), ("[1,]", .invalidResponse),
        ])
    func refused(_ body: String, _ code: PatchbayError.Code) {
        let error = #expect(throws: PatchbayError.self) {
            try PagedAnswer.items(of: Array(body.utf8), at: "/x")
        }
        #expect(error?.code == code)
    }
}
