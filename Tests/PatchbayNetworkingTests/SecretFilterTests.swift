import HTTPTypes
import PatchbayCore
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayNetworking

@Suite("SecretFilter")
struct SecretFilterTests {
    private static let tail = "abcdefghijklmnopqrstuvwxyz0123456789"

    @Test(
        "tokens are recognized by their shape in any place",
        arguments: [
            "ghp_\(tail)", "gho_\(tail)", "ghu_\(tail)", "ghs_\(tail)", "ghr_\(tail)",
            "github_pat_11ABCDEFG0_\(tail)", "glpat-\(tail)", #"\u0067hp\u005f\#(tail)"#, "%67hp%5F\(tail)",
            "xoxb-1234567890-abcdefghij", "xoxp-1-2-\(tail)",
            "xoxa-2-\(tail)",
            "xoxr-\(tail)", "xoxs-\(tail)", "xapp-1-A0-\(tail)",
        ])
    func shapes(_ secret: String) {
        for (before, after) in [
            ("", ""), ("a \"", "\" b"), ("\\n", "\\n"), ("%22", "%22"), ("https://x:", "@github.com"),
            ("=", "&x=1"),
        ] {
            let cleaned = SecretFilter().cleaned(before + secret + after)
            #expect(cleaned == before + "REDACTED" + after)
        }
    }

    @Test("the text for an unknown web token, which may be a cursor, contains its fingerprint")
    func webTokens() {
        for number in 0..<2 {
            let token = "eyJhbGciOiJIUzI1NiJ9.eyJwIjo\(number)fQ.c2lnbmF0dXJlc2lnbmF0dXJl"
            for (before, after) in [("", ""), (#"{"next": ""#, #""}"#), ("/a?cursor=", "&x=1")] {
                let text = before + token + after
                let mark = "REDACTED-\(TokenFingerprint(token))"
                #expect(SecretFilter().cleaned(text) == before + mark + after)
                #expect(SecretFilter(secrets: [token]).cleaned(text) == before + "REDACTED" + after)
            }
        }
    }

    @Test(
        "credentials are removed, but not the words before them or sentences about them",
        arguments: [
            ("Bearer abcdefgh01234567", "Bearer REDACTED"),
            ("bearer%20abcdefgh01234567", "bearer%20REDACTED"),
            ("\"Basic dXNlcjpwYXNzd29yZDEyMw==\"", "\"Basic REDACTED\""),
            ("Basic internationalization", "Basic internationalization"), ("Bearer", "Bearer"),
            ("The bearer of bad news", "The bearer of bad news"), ("ghp_short", "ghp_short"),
            ("eyJ.a.b", "eyJ.a.b"), ("Basic", "Basic"), ("bea", "bea"),
        ])
    func credentials(_ text: String, _ expected: String) {
        #expect(SecretFilter().cleaned(text) == expected)
    }

    @Test(
        "parameters and members with secret names lose their values",
        arguments: [
            ("https://x.org/a?token=abc&b=1", "https://x.org/a?token=REDACTED&b=1"),
            (
                "<https://x.org/?a=1&Access_Token=abc>; rel=x",
                "<https://x.org/?a=1&Access_Token=REDACTED>; rel=x"
            ),
            ("\"https://x.org/?token=a%20b\"", "\"https://x.org/?token=REDACTED\""),
            (#""/a?b=1\u0026client_secret=x""#, #""/a?b=1\u0026client_secret=REDACTED""#),
            ("?X-Amz-Signature=00ff&X-Amz-Date=1", "?X-Amz-Signature=REDACTED&X-Amz-Date=1"),
            (
                "https://x.org/cb#access_token=abc&state=1&id_token=x",
                "https://x.org/cb#access_token=REDACTED&state=1&id_token=REDACTED"
            ),
            (
                "/a?access%5Ftoken=abc&%74oken=x&page%5Btoken%5D=2",
                "/a?access%5Ftoken=REDACTED&%74oken=REDACTED&page%5Btoken%5D=2"
            ),
            (
                "/a?hapikey=x&sessionid=x&X-Plex-Token=x",
                "/a?hapikey=REDACTED&sessionid=x&X-Plex-Token=REDACTED"
            ),
            ("/a?key=main&code=7", "/a?key=main&code=7"),
            ("/a?page_token=5&since=46&token=", "/a?page_token=5&since=46&token="),
            ("/user/repos{?token}", "/user/repos{?token}"),
            (#"{"token": "a\"b\\", "code": "x"}"#, #"{"token": "REDACTED", "code": "x"}"#),
            (#"{"access_token":"x"}"#, #"{"access_token":"REDACTED"}"#),
            (
                #"{"client-secret":"x", "apiSecret":"y"}"#,
                #"{"client-secret":"REDACTED", "apiSecret":"REDACTED"}"#
            ),
            (
                #"{"bot_token":"x", "csrf_token":"y", "passphrase":"z"}"#,
                #"{"bot_token":"REDACTED", "csrf_token":"REDACTED", "passphrase":"REDACTED"}"#
            ),
            (#"{"token":null}"#, #"{"token":null}"#),
            (#"{"token":""}"#, #"{"token":""}"#), (#"["token", "b"]"#, #"["token", "b"]"#),
            (#"{"temp_clone_token":"AB3"}"#, #"{"temp_clone_token":"REDACTED"}"#),
            (
                #"{"tempCloneToken":"AB3", "secret": "x"}"#,
                #"{"tempCloneToken":"REDACTED", "secret": "REDACTED"}"#
            ),
            (#"{"Authorization": "Bearer abcdefgh"}"#, #"{"Authorization": "REDACTED"}"#),
            (#""{\"secret\": \"a\\\"b\", \"c\": \"d\"}""#, #""{\"secret\": \"REDACTED\", \"c\": \"d\"}""#),
            ("curl -H 'Authorization: Basic abcdefgh'", "curl -H 'Authorization: Basic REDACTED'"),
            ("authorization by token", "authorization by token"),
            ("https://ada:pa%20ss@x.org/a", "https://ada:REDACTED@x.org/a"),
            (#""https:\/\/ada:pass@x.org\/a""#, #""https:\/\/ada:REDACTED@x.org\/a""#),
            ("https://git@x.org:80/a@b ssh://x:@y", "https://git@x.org:80/a@b ssh://x:@y"),
            ("https://x.org:80/a:b@c", "https://x.org:80/a:b@c"),
            ("AKIAIOSFODNN7EXAMPLE", "REDACTED"), ("AKIAIOSFODNN7EXAMPLES", "AKIAIOSFODNN7EXAMPLES"),
        ])
    func names(_ text: String, _ expected: String) {
        #expect(SecretFilter().cleaned(text) == expected)
        #expect(SecretFilter().cleaned(SecretFilter().cleaned(text)) == expected)
    }

    @Test("the first parameter of a form is checked as well")
    func form() {
        let filter = SecretFilter()
        #expect(
            filter.cleaned(
                Array("token=x&limit=1".utf8), mediaType: "Application/X-WWW-form-urlencoded; charset=utf-8")
                == Array("token=REDACTED&limit=1".utf8))
        #expect(filter.cleaned("token=x") == "token=x")
    }

    @Test(
        "the values of secret parts of a multipart form are removed, also of one that is cut off",
        arguments: [
            "multipart/form-data; boundary=-b0", "Multipart/Form-Data; charset=utf-8; Boundary=\"-b0\"",
        ])
    func multipart(_ mediaType: String) {
        func form(_ password: String, _ pin: String, end: String) -> [UInt8] {
            let parts = [
                ("name=\"password\"", password), ("name=\"note\"; filename=\"token\"", "a\r\n\r\n--b\r\n"),
                ("name=token\r\nContent-Type: text/plain", pin),
            ].map { "---b0\r\nContent-Disposition: form-data; \($0)\r\n\r\n\($1)" }
            return Array((parts.joined(separator: "\r\n") + end).utf8)
        }
        for end in ["\r\n---b0--\r\n", ""] {
            let cleaned = SecretFilter().cleaned(form("a\r\nb", "1", end: end), mediaType: mediaType)
            #expect(cleaned == form("REDACTED", "REDACTED", end: end))
        }
        for text in ["", "---b0", "---b0\r\n\r\n", "---b0---b0---b0--"] {
            #expect(SecretFilter().cleaned(Array(text.utf8), mediaType: mediaType) == Array(text.utf8))
        }
    }

    @Test("a known secret is removed in every spelling")
    func spellings() {
        let secret = "p+ss/w0rd=\(Self.tail)"
        let filter = SecretFilter(secrets: [secret])
        for text in [secret, "x\(secret)y", "p%2Bss%2Fw0rd%3D\(Self.tail)", "p%2bss%2fw0rd%3d\(Self.tail)"] {
            #expect(filter.cleaned(text).contains("REDACTED"), "\(text)")
            #expect(!filter.cleaned(text).contains(Self.tail), "\(text)")
        }
        for prefix in ["", "a", "ab", "user:", "x-access-token:"] {
            let encoded = base64(prefix + secret + "!")
            for text in [encoded, encoded.replacing("+", with: "-").replacing("/", with: "_")] {
                let cleaned = filter.cleaned("\"\(text)\"")
                #expect(cleaned.contains("REDACTED"), "\(prefix)")
                #expect(cleaned.utf8.count < 25 + prefix.utf8.count * 2, "\(cleaned)")
            }
        }
    }

    @Test(
        "a large text full of false starts is read in linear time",
        arguments: [
            "eyJ", "eyJabcd.", "eyJhbGciOi.eyJ.", "+bearer", "basic+", "Bearer%20", "://", "://a:", ":\\/\\/",
            "%25",
            "\\", "\\u00", "authorization: ", "AKIA", "gh", "%67",
        ])
    func beginnings(_ piece: String) {
        let text = String(repeating: piece, count: (1 << 17) / piece.utf8.count)
        let secret = "Bearer abcdefgh01234567"
        #expect(SecretFilter().cleaned(text + "\"" + secret) == text + "\"Bearer REDACTED")
    }

    @Test(
        "a short secret is removed as a separate word or whole value, but not within a word",
        arguments: [
            ("tk7", "REDACTED"), (#"{"login": "tk7"}"#, #"{"login": "REDACTED"}"#),
            ("a tk7, b", "a REDACTED, b"),
            ("/x?a=tk7&b=1", "/x?a=REDACTED&b=1"), (#""a\ntk7""#, #""a\nREDACTED""#),
            ("a%20tk7", "a%20REDACTED"),
            (#""\u0074k7""#, #""REDACTED""#), (#""\u0020tk7""#, #""\u0020REDACTED""#),
            ("Basic dGs3", "Basic REDACTED"), ("eC1hY2Nlc3MtdG9rZW46dGs3", "REDACTED"),
            ("atk7", "atk7"), ("tk77", "tk77"), ("étk7", "étk7"), ("tk_7", "tk_7"),
        ])
    func short(_ text: String, _ expected: String) {
        #expect(SecretFilter(secrets: ["tk7", ""]).cleaned(text) == expected)
    }

    @Test(
        "a numeric secret does not replace a JSON number, which would make the JSON invalid",
        arguments: [
            (#"{"id": 1234, "n": [1234]}"#, #"{"id": 1234, "n": [1234]}"#),
            (#"{"id": "1234", "m": "code 1234"}"#, #"{"id": "REDACTED", "m": "code REDACTED"}"#),
            ("1234", "REDACTED"), ("x=1234", "x=REDACTED"),
        ])
    func digits(_ text: String, _ expected: String) {
        #expect(SecretFilter(secrets: ["1234"]).cleaned(text) == expected)
    }

    @Test("a secret is removed with JSON or address escapes of any bytes, even repeated ones")
    func escapes() {
        let secret = "0123456789abcdef/\\\"x"
        let filter = SecretFilter(secrets: [secret])
        // No byte of the secret is below 0x10.
        let json = secret.utf8.map { "\\u00" + String($0, radix: 16) }
        let percent = secret.utf8.map { "%" + String($0, radix: 16, uppercase: true) }
        let plain = secret.map { "/\\\"".contains($0) ? "\\\($0)" : "\($0)" }
        let mixed = zip(json, plain).enumerated().map { $0 % 2 == 0 ? $1.0 : $1.1 }
        let texts = [
            json.joined(), json.joined().replacing("\\", with: "\\\\"), percent.joined(),
            percent.joined().replacing("%", with: "%25"), mixed.joined(),
            plain.joined(),
        ]
        for text in texts {
            #expect(filter.cleaned("{\"a\": \"\(text)\"}") == #"{"a": "REDACTED"}"#, "\(text)")
        }
    }

    @Test("a field with a secret in its name is removed in any case; a short one must be the whole name")
    func names() {
        var fields = HTTPFields()
        for name in ["S3CRET-token-1", "x-s3cret-TOKEN-1", "tk7", "x-tk7"] {
            fields.append(HTTPField(name: HTTPField.Name(name)!, value: "v"))
        }
        let cleaned = SecretFilter(secrets: ["s3cret-token-1", "tk7"]).cleaned(fields)
        #expect(cleaned.map(\.name.rawName) == ["REDACTED", "REDACTED", "REDACTED", "x-tk7"])
        let shaped = HTTPField(name: HTTPField.Name("ghp_\(Self.tail)")!, value: "v")
        #expect(SecretFilter().cleaned([shaped.name: "v"]).map(\.name.rawName) == ["REDACTED"])
    }

    @Test("the whole value of a field with a secret name is removed")
    func fields() {
        var fields: HTTPFields = [
            .authorization: "Bearer x", .cookie: "a=b", .location: "/x?token=y", .eTag: "\"e\"",
            .init("X-GitHub-OTP")!: "123456",
        ]
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        let cleaned = SecretFilter().cleaned(fields)
        #expect(cleaned[.authorization] == "REDACTED")
        #expect(cleaned[.cookie] == "REDACTED")
        #expect(cleaned[values: .setCookie] == ["REDACTED", "REDACTED"])
        #expect(cleaned[.init("X-GitHub-OTP")!] == "REDACTED")
        #expect(cleaned[.location] == "/x?token=REDACTED")
        #expect(cleaned[.eTag] == "\"e\"")
    }

    @Test(
        "in a request, a field whose name may be that of a secret is removed; in an answer, it may be a cursor"
    )
    func wideFields() {
        for name in [
            "X-Figma-Token", "X-Shopify-Access-Token", "Api-Key", "Ocp-Apim-Subscription-Key",
            "X-Tableau-Auth",
            "X-Client-Secret", "X-Session", "X-Request-Signature", "X-Ms-ContinuationToken",
        ] {
            let fields: HTTPFields = [.init(name)!: "value"]
            let cleaned = SecretFilter().cleaned(fields, where: SecretNames.mayBeSecret(field:))
            #expect(cleaned.map(\.value) == ["REDACTED"], "\(name)")
            #expect(SecretFilter().cleaned(fields) == fields, "\(name)")
        }
        let plain: HTTPFields = [
            .accept: "a/b", .ifNoneMatch: "\"t\"", .userAgent: "x", .init("X-Tenant")!: "y",
        ]
        #expect(SecretFilter().cleaned(plain, where: SecretNames.mayBeSecret(field:)) == plain)
        for name in ["X-Session-Token", "X-Auth-Key"] {
            #expect(SecretFilter().cleaned([.init(name)!: "value"]).map(\.value) == ["REDACTED"], "\(name)")
        }
    }

    @Test("any bytes are handled within their bounds, and JSON stays valid")
    func hostile() throws {
        let pieces = [
            "ghp_", "Bearer ", "eyJ", "\"", "\\", "\"token\"", ":", "?token=", "&", "\\u0026", "{", "}", ",",
            "x", "1",
            "\u{2028}", "é", "xoxb-", "abcdefghij0123456789",
        ]
        var generator = SeededGenerator.fromEnvironment()
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator)! }.joined()
            _ = SecretFilter(secrets: ["abcdefghij"]).cleaned(text)
            var writer = JSONWriter()
            writer.beginArray()
            writer.string(text)
            writer.string("token")
            writer.endArray()
            let cleaned = SecretFilter().cleaned(writer.bytes)
            var reader = JSONReader(cleaned.span.bytes)
            #expect(throws: Never.self, "\(text)") { try reader.skipValue() }
        }
    }

    private func base64(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let digits = stride(from: 0, to: bits.count, by: 6).map { start in
            (start..<(start + 6)).reduce(0) { $0 << 1 | ($1 < bits.count ? Int(bits[$1]) : 0) }
        }
        return String(digits.map { alphabet[$0] }) + ["", "==", "="][text.utf8.count % 3]
    }
}
