import PatchbayTestKit
import Testing

@testable import PatchbayCompare

@Suite("A comparison as an HTML page")
struct HTMLReportTests {
    @Test("every element has its end tag", arguments: Page.allCases)
    func balanced(_ page: Page) throws {
        var open: [Substring] = []
        let tags = page.text.matches(of: #/<(/?)([a-zA-Z0-9]+)((?: [a-zA-Z0-9:-]+="[^"<>]*")*)>/#)
        for tag in tags where tag.2 != "meta" {
            if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
        }
        #expect(open.isEmpty)
        // Apart from the document type, each < begins a tag.
        #expect(page.text.count { $0 == "<" } == tags.count + 1)
    }

    @Test("the page loads and runs nothing", arguments: Page.allCases)
    func selfContained(_ page: Page) {
        for word in [
            "<script", "<img", "<link", "@import", "url(", "http:", "https:", " src=", " onload=",
        ] {
            #expect(!page.text.contains(word), "\(word)")
        }
        #expect(page.text.contains("default-src 'none'") || page.text.contains("default-src &#39;none&#39;"))
    }

    @Test("every link leads to an element of the page", arguments: Page.allCases)
    func links(_ page: Page) {
        let links = page.text.matches(of: #/ href="([^"]*)"/#).map { $0.1 }
        let identifiers = Set(page.text.matches(of: #/ id="([^"]*)"/#).map { $0.1 })
        #expect(links.allSatisfy { $0.first == "#" && identifiers.contains($0.dropFirst()) })
        #expect(links.contains("#overview") && links.contains("#setup"))
    }

    @Test("the overview has a row for each workload, and each workload leads to its chart")
    func overview() throws {
        let text = Page.plain.text
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
    func labels(_ page: Page) {
        let pattern = #/<text x="([0-9.]+)" y="([0-9.]+)" class="tick middle">([^<]+)</#
        for drawing in page.text.split(separator: "</svg>") {
            let labels = drawing.matches(of: pattern).map { (Double($0.1) ?? 0, $0.2, Double($0.3.count)) }
            for (left, right) in zip(labels, labels.dropFirst()) where left.1 == right.1 {
                #expect(right.0 - left.0 >= 3.2 * (left.2 + right.2), "\(left), \(right)")
            }
        }
    }

    @Test("labels at the end of an axis keep their distance")
    func crowdedLabels() {
        let labels = SVG.labels([(10, "1 ms"), (200, "20 ms"), (322, "50 ms"), (338, "100 ms")], y: 0)
        #expect(
            labels.map(\.source).joined().matches(of: />([0-9]+ ms)</).map { $0.1 } == [
                "1 ms", "20 ms", "50 ms",
            ])
    }

    @Test("a long tail ends at a mark and leaves the histogram its width")
    func longTail() throws {
        var comparison = MadeUp().comparison()
        let index = try #require(comparison.results.lastIndex { $0.workload == "get-key" })
        comparison.results[index].rounds[0].latencies.max = 2_000_000_000
        comparison.results[index].rounds[0].latencies.buckets.append(
            .init(upToNanoseconds: 2_000_000_000, count: 1))
        func path(_ comparison: Comparison) throws -> String {
            let group = try #require(comparison.largestGroups.first { $0.workload == "get-key" })
            return try #require(LatencyChart(group: group).drawing).source
        }
        let (usual, long) = (try path(MadeUp().comparison()), try path(comparison))
        #expect(long.contains(", max 2.00 s →</text>"))
        let pattern = #/d="[^"]+"/#
        #expect(usual.matches(of: pattern).map(\.output) == long.matches(of: pattern).map(\.output))
    }

    @Test("names, answers and reasons stay text")
    func escaped() {
        #expect(Page.hostile.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
        #expect(Page.damaged.text.contains("&lt;b&gt;The \\u{1B}[2JOctopus&lt;/b&gt;"))
        for page in Page.allCases {
            #expect(
                page.text.unicodeScalars.allSatisfy {
                    $0 == "\n" || $0.value >= 0x20 && !(0x2028...0x202E).contains($0.value)
                })
        }
    }

    @Test("every chart has a title, a description and a role", arguments: Page.allCases)
    func accessible(_ page: Page) {
        let drawings = page.text.matches(
            of: #/<svg [^>]*role="img"[^>]*>\n<title>[^<]+</title>\n<desc>[^<]+</desc>/#)
        #expect(drawings.count == page.text.matches(of: #/role="img"/#).count)
        #expect(drawings.count >= 14)
        #expect(
            page.text.matches(of: #/<table>\n<caption>[^<]/#).count == page.text.matches(of: #/<table/#).count
        )
    }

    @Test("identifiers are unique")
    func identifiers() {
        let found = Page.damaged.text.matches(of: #/ id="([^"]*)"/#).map { $0.1 }
        #expect(Set(found).count == found.count)
        #expect(found.contains("alerts"))
    }

    @Test("every figure is a number inside the drawing", arguments: Page.allCases)
    func numbers(_ page: Page) {
        #expect(!page.text.contains("nan"))
        #expect(!page.text.contains("inf\""))
        for drawing in page.text.matches(of: #/ (?:x|x1|x2|cx|width)="(-?[0-9.]+)"/#) {
            let number = Double(drawing.1) ?? -1
            #expect((0...341).contains(number), "\(drawing.0)")
        }
    }

    @Test("the page contains differences, failures, recommendations and every figure")
    func content() {
        let text = Page.damaged.text
        #expect(text.contains("the worker ended by signal 9"))
        #expect(text.contains("! differs"))
        #expect(text.contains("Imagined Processor @ 2.60GHz"))
        for sentence in Findings(MadeUp.damaged()).sentences { #expect(text.contains(HTML(sentence).source)) }
        let rounds = MadeUp.damaged().results.reduce(0) { $0 + $1.rounds.count }
        #expect(text.components(of: "<tr>") > rounds)
    }

    @Test("a comparison without measurements is still a page")
    func empty() {
        var comparison = MadeUp().comparison()
        comparison.results = []
        let text = String(decoding: HTMLReport(comparison).bytes, as: UTF8.self)
        #expect(text.contains("Nothing was measured"))
        #expect(!text.contains("role=\"img\""))
    }

    @Test("sixteen subjects have sixteen marks")
    func marks() {
        let marks = (0..<16).map { SubjectMark(index: $0).drawing.source }
        #expect(Set(marks).count == 16)
    }

    enum Page: CaseIterable {
        case plain, damaged, hostile

        var text: String {
            switch self {
            case .plain: Page.texts[0]
            case .damaged: Page.texts[1]
            case .hostile: Page.texts[2]
            }
        }

        private static let texts: [String] = {
            var hostile = MadeUp()
            hostile.subjects = MadeUp.hostileNames
            let comparisons = [MadeUp().comparison(), MadeUp.damaged(), hostile.comparison()]
            return comparisons.map { String(decoding: HTMLReport($0).bytes, as: UTF8.self) }
        }()
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
