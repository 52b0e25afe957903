import HTTPTypes
import PatchbayCore
import Testing

@Suite("Rate limit refusals")
struct RateLimitRefusalTests {
    private func refusal(_ status: Int, _ fields: HTTPFields = [:], _ body: String = "") -> RateLimitRefusal?
    {
        let head = HTTPResponse(status: .init(code: status), headerFields: fields)
        return RateLimitRefusal(Response(head: head, body: Array(body.utf8)))
    }

    @Test("nothing left is a primary limit")
    func primary() {
        for status in [403, 429] {
            let refusal = refusal(status, [.rateLimitRemaining: "0", .rateLimitReset: "1790849900"])
            #expect(refusal?.isSecondary == false)
            #expect(refusal?.reset == .date(Timestamp(milliseconds: 1_790_849_900_000)))
        }
    }

    @Test(
        "text, Retry-After or a 429 alone mean a secondary limit",
        arguments: [
            (403, [:], #"{"message":"You have exceeded a secondary rate limit."}"#),
            (
                403, [:],
                #"{"documentation_url":"https://docs.github.com/rest/overview#secondary-rate-limits"}"#
            ),
            (403, [:], #"{"documentation_url":"https://developer.github.com/v3/#abuse-rate-limits"}"#),
            (403, [.retryAfter: "60"], ""), (429, [:], ""), (429, [.rateLimitRemaining: "12"], ""),
            (403, [.rateLimitRemaining: "0"], "You have exceeded a SECONDARY rate limit"),
        ] as [(Int, HTTPFields, String)])
    func secondary(_ status: Int, _ fields: HTTPFields, _ body: String) {
        #expect(refusal(status, fields, body)?.isSecondary == true)
    }

    @Test("other answers are not rate limits")
    func other() {
        #expect(refusal(403, [.rateLimitRemaining: "12"], #"{"message":"Resource not accessible"}"#) == nil)
        #expect(refusal(403) == nil)
        #expect(refusal(200, [.rateLimitRemaining: "0"], "secondary rate limit") == nil)
        #expect(refusal(503, [.retryAfter: "60"]) == nil)
    }
}

extension HTTPField.Name {
    static let rateLimitRemaining = HTTPField.Name("X-RateLimit-Remaining")!
    static let rateLimitReset = HTTPField.Name("X-RateLimit-Reset")!
}
