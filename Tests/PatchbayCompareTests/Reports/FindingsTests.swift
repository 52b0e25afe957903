import PatchbayCompare
import Testing

@Suite("Recommendations")
struct FindingsTests {
    @Test("each storage suits the workloads it wins, with its lead, and ties are named")
    func suits() {
        let sentences = Findings.sentences(MadeUp().comparison())
        #expect(
            sentences.contains { $0.hasPrefix("lmdb suits reading by key (1.8× the next), paging forward (") }
        )
        #expect(
            sentences.contains {
                $0.hasPrefix("flatfile suits filling (1.4× the next) and single durable writes (")
            })
        #expect(sentences.contains("Equally fast, within 5 %: finding by handle (lmdb and flatfile)."))
        #expect(
            sentences.contains(
                "The smallest on disk is flatfile (flatfile 290 MB, sqlite 310 MB, lmdb 420 MB)."))
        #expect(
            sentences.contains {
                $0.hasPrefix(
                    "The least memory, including pages of mapped files, is used by sqlite (sqlite 9.00 MB")
            })
        #expect(!sentences.contains { $0.hasPrefix("sqlite suits") })
    }

    @Test("a storage that suits something is named where it is many times slower")
    func manyTimesSlower() {
        let sentences = Findings.sentences(MadeUp().comparison())
        let flatfile = sentences.first { $0.hasPrefix("flatfile suits") } ?? ""
        #expect(flatfile.contains(", but is much slower than the best at searching by prefix (1"))
        #expect(flatfile.contains(#/ and opening \([0-9,]+×\)\.$/#), "\(flatfile)")
        #expect(
            sentences.contains { $0.hasPrefix("sqlite is much slower than the best at reading by key (6.") })
        #expect(!sentences.contains { $0.hasPrefix("lmdb") && $0.contains("slower") })
    }

    @Test("a busy machine is the first warning, an idle one is not mentioned")
    func busyMachine() {
        var comparison = MadeUp().comparison()
        comparison.loadAtStart = 6
        let words = "The machine was busy at the start (load average 6 on 2 cores)"
        #expect(Findings.sentences(comparison)[0].hasPrefix(words))
        comparison.loadAtStart = 1
        #expect(!Findings.sentences(comparison).contains { $0.contains("busy") })
    }

    @Test("the memory in the recommendation is the most in the table")
    func memory() throws {
        var comparison = MadeUp().comparison()
        let index = try #require(comparison.results.lastIndex { $0.subject == "lmdb" })
        comparison.results[index].rounds[1].peakMemoryBytes = 68_300_000
        let most = comparison.largestGroups.flatMap(\.standings).filter { $0.subject == "lmdb" }
            .compactMap { $0.result?.peakMemoryBytes }.max()
        #expect(most == 68_300_000)
        #expect(Findings.sentences(comparison).contains { $0.contains("lmdb 68.3 MB") })
    }

    @Test("other figures give other sentences")
    func otherFigures() {
        var madeUp = MadeUp()
        madeUp.costs = [
            ("get-key", "read one", [.init(seconds: 1e-6), .init(seconds: 3e-6), .init(seconds: 9e-6)])
        ]
        madeUp.rowBytes = [300, 299, 900]
        madeUp.rows = [1_000]
        let sentences = Findings.sentences(madeUp.comparison())
        #expect(
            sentences[0].hasPrefix("sqlite suits reading by key (3× the next)")
                || sentences[0].hasPrefix("sqlite suits reading by key (2.9× the next)")
                || sentences[0].hasPrefix("sqlite suits reading by key (3.1× the next)"))
        #expect(
            sentences.contains {
                $0.hasPrefix("The smallest on disk is lmdb and sqlite, which do not differ by 5 %")
            })
        #expect(
            !sentences.contains { $0.contains("grows") || $0.contains("paging") || $0.contains("lmdb suits") }
        )
    }

    @Test("equally fast storages are named together")
    func undecided() {
        var madeUp = MadeUp()
        madeUp.costs = [("get-key", "read one", [MadeUp.Cost](repeating: .init(seconds: 1e-6), count: 3))]
        madeUp.rows = [1_000]
        let sentences = Findings.sentences(madeUp.comparison())
        #expect(!sentences.contains { $0.contains(" suits ") })
        #expect(sentences.contains { $0.hasPrefix("Equally fast, within 5 %: reading by key (") })
    }

    @Test("with one round everything is undecided")
    func fewRounds() {
        var madeUp = MadeUp()
        madeUp.rounds = 1
        let sentences = Findings.sentences(madeUp.comparison())
        #expect(
            sentences.contains {
                $0.hasPrefix(
                    "Undecided in the time that was given; measure longer: filling, ")
            })
        #expect(madeUp.comparison().isUndecided)
        #expect(!sentences.contains { $0.contains(" suits ") })
    }

    @Test("wrong answers and an early end come first")
    func warnings() {
        let sentences = Findings.sentences(MadeUp.damaged())
        #expect(sentences[0].hasPrefix("flatfile answered differently from sqlite"))
        #expect(sentences[1].hasPrefix("The comparison ended early"))
        #expect(!sentences.contains { $0.contains("Equally") && $0.contains("flatfile") })
        #expect(!sentences.contains { $0.contains("durable") })
    }

    @Test("without measurements or with one storage there is nothing to recommend")
    func little() {
        var comparison = MadeUp().comparison()
        comparison.subjects.removeLast(2)
        comparison.results.removeAll { $0.subject != "sqlite" }
        let sentences = Findings.sentences(comparison)
        #expect(sentences == ["Only one storage was measured, so there is nothing to compare it with."])
        comparison.results = []
        #expect(Findings.sentences(comparison) == ["Nothing was measured, so there is nothing to recommend."])
    }
}
