import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayServer
import Testing

@Suite("Forwarding")
struct ForwardingTests {
    private let json: HTTPFields = [.contentType: "application/json; charset=utf-8"]

    @Test("fields of the connection, the page and other servers on this machine are not forwarded")
    func requestFields() async throws {
        let bench = try await ProxyBench()
        var fields: HTTPFields = [
            .connection: "close, X-Hop", .cookie: "session=1", .origin: "http://127.0.0.1:8080",
            .referer: "http://127.0.0.1:8080/-/", .accept: "application/json", .userAgent: "curl/8",
        ]
        for name in ["X-Hop", "X-Forwarded-For", "Forwarded", "Sec-Fetch-Site", "TE", "Upgrade", "Expect"] {
            fields[HTTPField.Name(name)!] = "x"
        }
        _ = await bench.get("/users", fields)
        let sent = try #require(bench.server.last)
        #expect(
            Set(sent.headerFields.map(\.name.canonicalName)) == [
                "accept", "accept-encoding", "user-agent", "via",
            ])
        #expect(
            sent.headerFields[.userAgent]?.hasPrefix("patchbay/") == true,
            "answers depend on no program")
        #expect(sent.authority == "api.example.org" && sent.path == "/users" && sent.scheme == "https")
    }

    @Test(
        "a value with bytes that are not UTF-8, which are lost, is refused in a request and left out of an answer"
    )
    func damagedValues() async throws {
        let bench = try await ProxyBench()
        let damaged: HTTPFields = [
            .init("X-Name")!: "caf\u{FFFD}", .ifMatch: "\"\u{FFFD}\"", .cacheControl: "max-age=9",
        ]
        bench.server.answers(.answer(200, damaged))
        for field in damaged.dropLast() {
            let refused = await bench.send(.put, "/users", HTTPFields([field]))
            #expect(refused.status == 400 && refused.text.contains(field.name.rawName), "\(refused.text)")
        }
        #expect(bench.server.count == 0)
        for _ in 1...2 { #expect(await bench.get("/users", [.init("X-Name")!: "café"])["X-Name"] == nil) }
        #expect(bench.server.last?.headerFields[.init("X-Name")!] == "café")
    }

    @Test("an empty Accept, as sent by gh, is forwarded")
    func emptyAccept() async throws {
        let bench = try await ProxyBench()
        _ = await bench.get("/users", [.accept: ""])
        #expect(bench.server.last?.headerFields[.accept] == "")
    }

    @Test("fields of an answer that apply only to the source's server are removed")
    func responseFields() async throws {
        let bench = try await ProxyBench()
        var fields: HTTPFields = [
            .connection: "X-Hop", .setCookie: "a=b", .strictTransportSecurity: "max-age=1",
            .init("X-RateLimit-Remaining")!: "59", .init("X-Hop")!: "1", .init("Alt-Svc")!: "h3",
            .accessControlAllowOrigin: "*", .accessControlAllowCredentials: "true",
            .xContentTypeOptions: "sniff",
        ]
        fields[.cacheControl] = "max-age=60"
        bench.server.answers(.answer(200, fields))
        for _ in 1...2 {
            let response = await bench.get()
            for name in [
                "Set-Cookie", "Strict-Transport-Security", "X-Hop", "Alt-Svc", "Connection",
                "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "X-Content-Type-Options",
            ] {
                #expect(response[name] == nil, "\(name)")
            }
            #expect(response["X-RateLimit-Remaining"] == "59", "limits are forwarded")
        }
        #expect(bench.server.count == 1)
    }

    @Test("an answer has the gateway's policy, and no field that acts on its origin", arguments: [200, 404])
    func policy(_ status: Int) async throws {
        let bench = try await ProxyBench()
        let guarded = GuardedResponder(bench.proxy, ServerOptions())
        let names = [
            "Content-Security-Policy", "Content-Security-Policy-Report-Only", "X-Content-Type-Options",
            "Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy", "Referrer-Policy",
            "Clear-Site-Data",
            "Service-Worker-Allowed", "WWW-Authenticate", "Refresh", "NEL", "Report-To",
            "Reporting-Endpoints",
            "Patchbay-Answer", "Set-Cookie", "Strict-Transport-Security", "Access-Control-Allow-Origin",
            "SourceMap", "Sec-Session-Registration", "X-Accel-Redirect", "Permissions-Policy",
        ].map { HTTPField.Name($0)! }
        var fields: HTTPFields = [
            .contentType: "text/html", .cacheControl: "max-age=60", .link: "</x>; rel=next",
        ]
        for name in names { fields[name] = "hostile" }
        bench.server.answers(.answer(status, fields))
        for _ in 1...2 {
            let response = await guarded.respond(to: Requests.make())
            let values = response.headerFields.filter { names.contains($0.name) }
            #expect(!values.contains { $0.value == "hostile" })
            #expect(
                Set(values.map(\.name.canonicalName)) == [
                    "content-security-policy", "x-content-type-options", "cross-origin-resource-policy",
                    "referrer-policy",
                ])
            #expect(values.count == 4)
            #expect(response["Content-Security-Policy"]?.hasSuffix("sandbox") == true)
            #expect(response["Link"] == "</x>; rel=next")
        }
    }

    @Test(
        "an answer has exactly one media type; one that could be read in two ways is bytes",
        arguments: [
            (["application/json; charset=utf-8"], "application/json; charset=utf-8"),
            (["text/HTML;"], "text/HTML;"),
            (["text/plain; a=\",text/html\""], "text/plain; a=\",text/html\""), ([], nil), ([""], nil),
            (["application/json;,text/html"], nil), (["application/json, text/html"], nil),
            (["application/json", "text/html"], nil), (["application/json", "application/json"], nil),
            (["text/html garbage"], nil), (["text"], nil), (["/html"], nil), (["text/"], nil),
            (["text/html;a=\"b"], nil),
        ] as [([String], String?)])
    func contentType(_ lines: [String], _ expected: String?) async throws {
        let bench = try await ProxyBench()
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        for line in lines { fields.append(HTTPField(name: .contentType, value: line)) }
        let response = Response(head: HTTPResponse(status: .ok, headerFields: fields), body: Array("{}".utf8))
        bench.server.answers(response)
        for _ in 1...2 {
            let sent = await bench.get().headerFields[values: .contentType]
            #expect(sent == [expected ?? "application/octet-stream"])
        }
        bench.server.answers(
            Response(head: HTTPResponse(status: .notModified, headerFields: fields), body: []))
        let passed = await bench.get("/conditional", [.ifNoneMatch: "\"a\""])
        let types = passed.headerFields[values: .contentType]
        #expect(types == [expected].compactMap(\.self), "without content")
    }

    @Test("names with an underscore are not forwarded, except the one that the definition names")
    func underscores() async throws {
        let name = HTTPField.Name("api_key")!, other = HTTPField.Name("X_Forwarded_For")!
        let plain = try await ProxyBench()
        _ = await plain.get("/users", [name: "a", other: "b"])
        #expect(plain.server.last?.headerFields.contains { $0.name.rawName.contains("_") } == false)
        let named = try await ProxyBench(authorization: .header(name: "api_key", prefix: nil))
        _ = await named.get("/users", [name: "a", other: "b"])
        #expect(named.server.last?.headerFields[name] == "a")
        #expect(named.server.last?.headerFields[other] == nil)
    }

    @Test("links and locations point to this server under the client's name for it")
    func links() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(
            .fresh(
                60,
                [
                    .link:
                        "<https://api.example.org/users?page=2>; rel=\"next\", <https://example.org>; rel=\"help\"",
                    .location: "https://api.example.org/users/1",
                    .contentLocation: "https://api.example.organic/x",
                ]))
        for host in ["127.0.0.1:8080", "localhost:8080"] {
            let response = await bench.send(.get, host: host)
            #expect(
                response["Link"]
                    == "<http://\(host)/users?page=2>; rel=\"next\", <https://example.org>; rel=\"help\""
            )
            #expect(response["Location"] == "http://\(host)/users/1")
            #expect(response["Content-Location"] == "https://api.example.organic/x")
        }
        #expect(bench.server.count == 1)
        #expect(
            await bench.send(.get, host: "api.example.org")["Location"] == "https://api.example.org/users/1")
    }

    @Test("addresses without a scheme point to this server, too", arguments: ["", "/wiki"])
    func schemeless(_ base: String) async throws {
        let bench = try await ProxyBench(base: "https://api.example.org" + base)
        let others =
            #"<//api.example.organic/x>; rel="up", <https://example.org//api.example.org\#(base)/x>; rel="x""#
        bench.server.answers(
            .fresh(
                60,
                [
                    .link: "<//api.example.org\(base)/users?page=2>; rel=\"next\", \(others)",
                    .location: "//api.example.org\(base)/users/1",
                    .contentLocation: "//api.example.organic/x",
                ]))
        let response = await bench.get()
        #expect(response["Link"] == "<http://127.0.0.1:8080/users?page=2>; rel=\"next\", \(others)")
        #expect(response["Location"] == "http://127.0.0.1:8080/users/1")
        #expect(response["Content-Location"] == "//api.example.organic/x")
    }

    @Test("paths in links and locations begin where the paths of this server do")
    func relativeLinks() async throws {
        let bench = try await ProxyBench(base: "https://api.example.org/wiki")
        let others = #"</wikis/1>; rel="up", <?page=2>; rel="last""#
        bench.server.answers(
            .fresh(
                60,
                [
                    .link: "</wiki/pages?cursor=a>; rel=\"next\", \(others)",
                    .location: "/wiki/pages/1", .contentLocation: "/wikis/wiki/1",
                ]))
        let response = await bench.get("/pages")
        #expect(response["Link"] == "</pages?cursor=a>; rel=\"next\", \(others)")
        #expect(response["Location"] == "/pages/1" && response["Content-Location"] == "/wikis/wiki/1")
    }

    @Test("JSON strings that are addresses point to this server")
    func bodies() async throws {
        let bench = try await ProxyBench()
        let body = #"""
            {"url":"https://api.example.org/users/1","t":"https://api.example.org/u{?x}",
            "e":"https:\/\/api.example.org\/x",
            "bio":"https://api.example.org/ is down","other":"https://api.example.organic/",
            "base":"https://api.example.org"}
            """#
        let expected = #"""
            {"url":"http://127.0.0.1:8080/users/1","t":"http://127.0.0.1:8080/u{?x}",
            "e":"http:\/\/127.0.0.1:8080\/x",
            "bio":"https://api.example.org/ is down","other":"https://api.example.organic/",
            "base":"http://127.0.0.1:8080"}
            """#
        var fields = json
        fields[.eTag] = "\"strong\""
        bench.server.answers(.fresh(60, fields, body))
        for _ in 1...2 {
            let response = await bench.get()
            #expect(response.text == expected)
            #expect(response["ETag"] == "W/\"strong\"", "the bytes differ")
        }
        #expect(await bench.get("/users", [.ifNoneMatch: "W/\"strong\""]).status == 304)
        let digests = ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"].map { HTTPField.Name($0)! }
        for digest in digests { fields[digest] = "sha-256=:AAAA:" }
        for (text, isKept) in [(body, false), ("{}", true)] {
            let path = isKept ? "/kept" : "/changed"
            bench.server.answers(.fresh(60, fields, text))
            for _ in 1...2 {
                let response = await bench.get(path)
                #expect(digests.allSatisfy { response.headerFields.contains($0) == isKept }, "\(path)")
            }
        }
        bench.server.answers(.fresh(60, [:], body))
        #expect(await bench.get("/text").text == body, "only JSON is changed")
    }

    @Test("rewrite = links leaves bodies alone, rewrite = nothing everything")
    func scopes() async throws {
        let body = #"{"url":"https://api.example.org/users/1"}"#
        for scope in ProxyOptions.Rewriting.allCases {
            var options = ProxyOptions()
            options.rewriting = scope
            let bench = try await ProxyBench(options: options)
            var fields = json
            fields[.location] = "https://api.example.org/x"
            bench.server.answers(.fresh(60, fields, body))
            let response = await bench.get()
            #expect((response.text == body) == (scope != .bodies))
            #expect((response["Location"] == "https://api.example.org/x") == (scope == .nothing))
        }
    }

    @Test(
        "paths of a self-hosted server are mapped to the same addresses",
        arguments: [
            ("/users", "/users", "/api/v3/users"), ("/api/v3/users?x=1", "/users?x=1", "/api/v3/users?x=1"),
            ("/api/v3", "/", "/api/v3/"), ("/", "/", "/api/v3/"), ("/graphql", "/graphql", "/api/graphql"),
            ("/api/graphql", "/graphql", "/api/graphql"), ("/api/v3x", "/api/v3x", "/api/v3/api/v3x"),
        ])
    func aliases(_ path: String, _ plain: String, _ below: String) async throws {
        for (base, expected) in [
            ("https://api.example.org", plain), ("https://api.example.org/api/v3", below),
        ] {
            let bench = try await ProxyBench(base: base, alias: "/api/v3")
            _ = await bench.get(path)
            #expect(bench.server.last?.path == expected)
        }
    }

    @Test(
        "no path leaves the source's base",
        arguments: [
            "/../admin", "/users/..", "/%2e%2e/admin", "/users/%2E./x", "/./x", "/a/..\\b", "/.%2e",
            "/..;/admin", "/..;a=b/admin", "/%2e%2e;/admin", "/..%3b/admin", "/%2e%2e%2fadmin", "/..%2fadmin",
            "/..%5cadmin", "/a%2f..%2f..%2fadmin", "/a%5c%2e%2e%5cadmin", "/%252e%252e%252fadmin",
            "/..%00/admin",
            "/%25252e%25252e/admin", "/..%09/x", "/a%2f.%2fb", "/..?x", "/..%23/x",
        ])
    func traversal(_ path: String) async throws {
        let bench = try await ProxyBench(base: "https://api.example.org/api/v3")
        #expect(await bench.get(path).status == 400)
        #expect(bench.server.count == 0)
    }

    @Test(
        "every other path stays at the source's server",
        arguments: [
            "//evil.example/x", "/http://evil.example", "/a@b:1/x", "/...", "/a..b", "/a%2fb",
            "/a%2f.gitignore",
            "/compare/v1.0...v2.0", "/a;b/c", "/100%25", "/x?path=../y", "/x?path=%2e%2e%2fy", "/a\\b",
        ])
    func staysThere(_ path: String) async throws {
        let bench = try await ProxyBench()
        _ = await bench.get(path)
        #expect(bench.server.last?.authority == "api.example.org")
        #expect(bench.server.last?.path == path)
    }

    @Test("a request that loops back to this proxy is refused")
    func loop() async throws {
        let bench = try await ProxyBench()
        _ = await bench.get("/users", [.via: "1.1 other"])
        let via = try #require(bench.server.last?.headerFields[.via])
        #expect(await bench.get("/users", [.via: "1.0 x, \(via)"]).status == 508)
        #expect(bench.server.count == 1)
    }

    @Test("a failure states why the request was sent")
    func failures() async throws {
        let bench = try await ProxyBench()
        bench.server.fails(.unreachable)
        #expect(await bench.get()["Cache-Status"] == "patchbay; fwd=uri-miss")
        #expect(await bench.send(.post)["Cache-Status"] == "patchbay; fwd=method")
    }
}
