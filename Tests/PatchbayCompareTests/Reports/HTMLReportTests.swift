import PatchbayTestKit
import Testing

@testable import PatchbayCompare

@Suite("A comparison as a page")
struct HTMLReportTests {
    @Test("every element ends where it must", arguments: Page.allCases)
    func balanced(_ page: Page) throws {
        var open: [Substring] = []
        let tags = page.text.matches(of: #/<(/?)([a-zA-Z0-9]+)((?: [a-zA-Z0-9:-]+="[^"<>]*")*)>/#)
        for tag in tags where tag.2 != "meta" {
            if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
        }
        #expect(open.isEmpty)
        // Nothing looks like markup that is none: each < begins a tag, the document type aside.
        #expect(page.text.count { $0 == "<" } == tags.count + 1)
    }

    @Test("it needs nothing from elsewhere and runs nothing", arguments: Page.allCases)
    func selfContained(_ page: Page) {
        for word in [
            "<script", "<img", "<link", "@import", "url(", "http:", "https:", " src=", " href=", " onload=",
        ] {
            #expect(!page.text.contains(word), "\(word)")
        }
        #expect(page.text.contains("default-src 'none'") || page.text.contains("default-src &#39;none&#39;"))
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

    @Test("identifiers are there once")
    func identifiers() {
        let found = Page.damaged.text.matches(of: #/ id="([^"]*)"/#).map { $0.1 }
        #expect(Set(found).count == found.count)
        #expect(found.contains("alerts"))
    }

    @Test("no figure became something that is none", arguments: Page.allCases)
    func numbers(_ page: Page) {
        #expect(!page.text.contains("nan"))
        #expect(!page.text.contains("inf\""))
        for drawing in page.text.matches(of: #/ (?:x|x1|x2|cx|width)="(-?[0-9.]+)"/#) {
            let number = Double(drawing.1) ?? -1
            #expect((0...341).contains(number), "\(drawing.0)")
        }
    }

    @Test("differences, failures, sentences and every figure are on it")
    func content() {
        let text = Page.damaged.text
        #expect(text.contains("the worker ended by signal 9"))
        #expect(text.contains("answers differ"))
        #expect(text.contains("Imagined Processor @ 2.60GHz"))
        for sentence in Findings(MadeUp.damaged()).sentences { #expect(text.contains(HTML(sentence).source)) }
        let rounds = MadeUp.damaged().results.reduce(0) { $0 + $1.rounds.count }
        #expect(text.components(of: "<tr>") > rounds)
    }

    @Test("nothing measured is still a page")
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
