import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCompare

@Suite("A comparison as an HTML page")
struct HTMLReportTests {
    @Test("the page loads nothing and runs only its script", arguments: Page.allCases)
    func selfContained(_ page: Page) throws {
        // Each page has another nonce.
        let file = try page.file
        for word in ["<img", "<link", "@import", "url(", "http:", "https:", " src=", " onload="] {
            #expect(!file.contains(word), "\(word)")
        }
        let policy = #/default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-([0-9a-z]+)'"/#
        let nonce = try #require(file.firstMatch(of: policy)).1
        let scripts = file.matches(of: /<script[^>]*>/).map { String($0.output) }
        #expect(
            scripts == [#"<script type="application/json" id="data">"#, "<script nonce=\"\(nonce)\">"])
        #expect(file.ranges(of: "</script>").count == 2)
    }

    @Test("the page contains the comparison as JSON, whatever the names contain", arguments: Page.allCases)
    func data(_ page: Page) throws {
        let file = try page.file
        let start = try #require(file.firstRange(of: "id=\"data\">{\"comparison\":")).upperBound
        let end = try #require(file.firstRange(of: ",\"view\":{\"header\"")).lowerBound
        let json = file[start..<end]
        #expect(!json.contains("<"))
        #expect(try Frames.decoded(Array(json.utf8)) == page.comparison)
    }

    @Test("a browser without scripts shows the overview as a table")
    func withoutScripts() throws {
        let damaged = try Page.damaged.file, hostile = try Page.hostile.file
        for group in Page.damaged.comparison.largestGroups {
            for standing in group.standings {
                #expect(damaged.contains("<td>\(group.brief(standing))</td>"))
            }
        }
        #expect(hostile.contains("<th>&lt;script&gt;alert(1)&lt;/script&gt;\"'&amp;</th>"))
        #expect(hostile.contains("<th>\\u{1B}[31mred\\u{1B}[0m\\u{202E}evil</th>"))
        let title = try #require(hostile.firstMatch(of: /<title>(.+)<\/title>/)).1
        #expect(title.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x2028...0x202E).contains($0.value) })
    }

    /// A page as its file, and as the script draws it.
    enum Page: CaseIterable {
        case plain, damaged, hostile

        var comparison: Comparison {
            switch self {
            case .plain: return MadeUp().comparison()
            case .damaged: return MadeUp.damaged()
            case .hostile:
                var hostile = MadeUp()
                hostile.subjects = MadeUp.hostileNames
                return hostile.comparison()
            }
        }

        var file: String {
            get throws { String(decoding: try HTMLReport.bytes(of: comparison), as: UTF8.self) }
        }
    }
}

@Suite("The drawing of a comparison", .mayBlock, .needs("node"))
struct HTMLDrawingTests {
    typealias Page = HTMLReportTests.Page

    /// Runs the script of a page with an element in place of the browser's.
    private static let browser = """
        const page = require("fs").readFileSync(process.argv[2], "utf8");
        const part = (start) => {
            const from = page.indexOf(">", page.indexOf(start)) + 1;
            return page.slice(from, page.indexOf("</script>", from));
        };
        const elements = { page: {}, data: { textContent: part('<script type="application/json"') } };
        const document = { getElementById: (id) => elements[id] };
        new Function("document", "location", part("<script nonce=") + process.argv[3])(document, { hash: "" });
        process.stdout.write(elements.page.innerHTML);
        """

    /// The HTML that the script makes of a comparison.
    ///
    /// - Parameter more: further lines of the script.
    private static func drawn(_ comparison: Comparison, _ more: String = "") throws -> String {
        let folder = try TemporaryDirectory()
        try folder.write(browser, to: "browser.js")
        let page = String(decoding: try HTMLReport.bytes(of: comparison), as: UTF8.self)
        try folder.write(page, to: "page.html")
        let found = try Shell.output(of: "cd '\(folder.path)' && node browser.js page.html '\(more)'")
        try #require(!found.isEmpty)
        return found
    }

    private static let pages = Result {
        try Page.allCases.reduce(into: [:]) { $0[$1] = try drawn($1.comparison) }
    }

    private func drawn(_ page: Page) throws -> String { try #require(try Self.pages.get()[page]) }

    @Test("every element has its end tag", arguments: Page.allCases)
    func balanced(_ page: Page) throws {
        let text = try drawn(page)
        var open: [Substring] = []
        let tags = text.matches(of: #/<(/?)([a-zA-Z0-9]+)((?: [a-zA-Z0-9:-]+="[^"<>]*")*)>/#)
        for tag in tags {
            if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
        }
        #expect(open.isEmpty)
        // Each < begins a tag.
        #expect(text.count { $0 == "<" } == tags.count)
        #expect(!text.contains("undefined") && !text.contains("[object"))
    }

    @Test("every link leads to an element of the page", arguments: Page.allCases)
    func links(_ page: Page) throws {
        let text = try drawn(page)
        let links = text.matches(of: #/ href="([^"]*)"/#).map { $0.1 }
        let identifiers = Set(text.matches(of: #/ id="([^"]*)"/#).map { $0.1 })
        #expect(links.allSatisfy { $0.first == "#" && identifiers.contains($0.dropFirst()) })
        #expect(links.contains("#overview") && links.contains("#setup"))
    }

    @Test("the overview has a row for each workload, and each workload leads to its chart")
    func overview() throws {
        let text = try drawn(.plain)
        let start = try #require(text.firstRange(of: "<h2 id=\"overview\">")).upperBound
        let table = text[start...].prefix(
            upTo: try #require(text[start...].firstRange(of: "</table>")).lowerBound)
        #expect(start < (try #require(text.firstRange(of: "<svg viewBox=\"0 0 340"))).lowerBound)
        for group in MadeUp().comparison().largestGroups {
            #expect(table.contains("<a href=\"#speed-\(group.workload)\">\(group.workload)</a>"))
            for standing in group.standings { #expect(table.contains(">\(group.brief(standing))</td>")) }
        }
    }

    @Test("labels of one axis do not overlap", arguments: Page.allCases)
    func labels(_ page: Page) throws {
        let pattern = #/<text x="([0-9.]+)" y="([0-9.]+)" class="tick middle">([^<]+)</#
        for drawing in try drawn(page).split(separator: "</svg>") {
            let labels = drawing.matches(of: pattern).map { (Double($0.1) ?? 0, $0.2, Double($0.3.count)) }
            for (left, right) in zip(labels, labels.dropFirst()) where left.1 == right.1 {
                #expect(right.0 - left.0 >= 3.2 * (left.2 + right.2), "\(left), \(right)")
            }
        }
    }

    @Test("labels at the end of an axis keep their distance")
    func crowdedLabels() throws {
        let places = "[[10, \"1 ms\"], [200, \"20 ms\"], [322, \"50 ms\"], [338, \"100 ms\"]]"
        let text = try evaluated("source(labels(\(places), 0))")
        #expect(text.matches(of: />([0-9]+ ms)</).map { $0.1 } == ["1 ms", "20 ms", "50 ms"])
    }

    /// The value of an expression in the script of a page.
    private func evaluated(_ expression: String) throws -> String {
        try Self.drawn(
            MadeUp().comparison(),
            "document.getElementById(\"page\").innerHTML = JSON.stringify(\(expression));")
    }

    @Test("a logarithmic axis has round labels and stays within its ends")
    func logarithmicAxis() throws {
        let values = try evaluated(
            """
            (() => {
                const scale = logScale([0.003, 40, 0, NaN]), narrow = logScale([1.5, 6]);
                return [
                    scale.position(0.003), Math.abs(scale.position(40) - 1) < 1e-9, scale.position(1e9),
                    scale.ticks(6), narrow.ticks(6), logScale([]), logScale([7]).position(7),
                ];
            })()
            """)
        #expect(values == "[0,true,1,[0.01,0.1,1,10],[2,5],null,0]")
    }

    @Test("labels of an axis have a unit and no zeros at the end")
    func axisLabels() throws {
        let values = try evaluated("[0.001, 2e-7, 0.05, 20, 0].map(shortTime)")
        #expect(values == #"["1 ms","200 ns","50 ms","20 s","0 ns"]"#)
    }

    @Test("a long tail ends at a mark and leaves the histogram its width")
    func longTail() throws {
        var comparison = MadeUp().comparison()
        let index = try #require(comparison.results.lastIndex { $0.workload == "get-key" })
        comparison.results[index].rounds[0].latencies.max = 2_000_000_000
        comparison.results[index].rounds[0].latencies.buckets.append(
            .init(upToNanoseconds: 2_000_000_000, count: 1))
        func chart(_ text: String) throws -> Substring {
            let start = try #require(text.firstRange(of: "aria-label=\"get-key: how long")).lowerBound
            return try #require(text[start...].split(separator: "</svg>").first)
        }
        let (usual, long) = (try chart(drawn(.plain)), try chart(Self.drawn(comparison)))
        #expect(long.contains(", max 2.00 s →</text>"))
        let pattern = #/d="[^"]+"/#
        #expect(!usual.matches(of: pattern).isEmpty)
        #expect(usual.matches(of: pattern).map(\.output) == long.matches(of: pattern).map(\.output))
    }

    @Test("names, answers and reasons stay text")
    func escaped() throws {
        #expect(try drawn(.hostile).contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
        #expect(try drawn(.damaged).contains("&lt;b&gt;The \\u{1B}[2JOctopus&lt;/b&gt;"))
        for page in Page.allCases {
            #expect(
                try drawn(page).unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.value >= 0x20 && !(0x2028...0x202E).contains($0.value)
                })
        }
    }

    @Test("every chart has a title, a description and a role", arguments: Page.allCases)
    func accessible(_ page: Page) throws {
        let text = try drawn(page)
        let drawings = text.matches(
            of: #/<svg [^>]*role="img"[^>]*>\n<title>[^<]+</title>\n<desc>[^<]+</desc>/#)
        #expect(drawings.count == text.matches(of: #/role="img"/#).count)
        #expect(drawings.count >= 12)
        #expect(text.matches(of: #/<table>\n<caption>[^<]/#).count == text.matches(of: #/<table/#).count)
    }

    @Test("identifiers are unique")
    func identifiers() throws {
        let found = try drawn(.damaged).matches(of: #/ id="([^"]*)"/#).map { $0.1 }
        #expect(Set(found).count == found.count)
        #expect(found.contains("alerts"))
    }

    @Test("every figure is a number inside the drawing", arguments: Page.allCases)
    func numbers(_ page: Page) throws {
        let text = try drawn(page)
        #expect(!text.contains("NaN") && !text.contains("Infinity"))
        for drawing in text.matches(of: #/ (?:x|x1|x2|cx|width)="(-?[0-9.]+)"/#) {
            let number = Double(drawing.1) ?? -1
            #expect((0...341).contains(number), "\(drawing.0)")
        }
    }

    @Test("the page contains differences, failures, recommendations and every figure")
    func content() throws {
        let text = try drawn(.damaged)
        #expect(text.contains("the worker ended by signal 9"))
        #expect(text.contains("! differs"))
        #expect(text.contains("Imagined Processor @ 2.60GHz"))
        for sentence in Findings.sentences(MadeUp.damaged()) { #expect(text.contains(sentence)) }
        let rounds = MadeUp.damaged().results.reduce(0) { $0 + $1.rounds.count }
        #expect(text.ranges(of: "<tr>").count > rounds)
        for group in MadeUp.damaged().groups {
            for rate in group.standings.compactMap(\.rate) {
                #expect(text.contains("<td class=\"number\">\(Quantity.rate(rate.median))</td>"))
            }
        }
    }

    @Test("a comparison without measurements is still a page")
    func empty() throws {
        var comparison = MadeUp().comparison()
        comparison.results = []
        let text = try Self.drawn(comparison)
        #expect(text.contains("Nothing was measured"))
        #expect(!text.contains("role=\"img\""))
    }

    @Test("sixteen subjects have sixteen marks")
    func marks() throws {
        let marks = "Array.from({ length: 16 }, (_, index) => source(mark(index, 6, 6)))"
        #expect(try evaluated("new Set(\(marks)).size") == "16")
    }
}
