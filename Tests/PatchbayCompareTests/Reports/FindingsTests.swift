import PatchbayCompare
import Testing

@Suite("What the figures say in words")
struct FindingsTests {
    @Test("each storage suits what it is best at, by how much, and ties are told")
    func suits() {
        let sentences = Findings(MadeUp().comparison()).sentences
        #expect(
            sentences.contains { $0.hasPrefix("lmdb suits reading by key (1.8× the next), paging forward (") }
        )
        #expect(
            sentences.contains {
                $0.hasPrefix("flatfile suits filling (1.4× the next) and single durable writes (")
            })
        #expect(sentences.contains("Alike within the noise: finding by login (lmdb and flatfile)."))
        #expect(
            sentences.contains(
                "The smallest on disk is flatfile (flatfile 290 MB, sqlite 310 MB, lmdb 420 MB)."))
        #expect(
            sentences.contains {
                $0.hasPrefix(
                    "The least memory, pages of mapped files included, is used by sqlite (sqlite 9.00 MB")
            })
        #expect(
            sentences.contains { $0.hasPrefix("The cost grows least from 1,000 to 1,000,000 rows with ") })
        #expect(!sentences.contains { $0.hasPrefix("sqlite suits") })
    }

    @Test("other figures give other sentences")
    func otherFigures() {
        var madeUp = MadeUp()
        madeUp.costs = [
            ("get-key", "read one", [.init(seconds: 1e-6), .init(seconds: 3e-6), .init(seconds: 9e-6)])
        ]
        madeUp.rowBytes = [300, 299, 900]
        madeUp.rows = [1_000]
        let sentences = Findings(madeUp.comparison()).sentences
        #expect(
            sentences[0].hasPrefix("sqlite suits reading by key (3× the next)")
                || sentences[0].hasPrefix("sqlite suits reading by key (2.9× the next)")
                || sentences[0].hasPrefix("sqlite suits reading by key (3.1× the next)"))
        #expect(
            sentences.contains {
                $0.hasPrefix("The smallest on disk is lmdb and sqlite, which cannot be told apart")
            })
        #expect(
            !sentences.contains { $0.contains("grows") || $0.contains("paging") || $0.contains("lmdb suits") }
        )
    }

    @Test("storages that are all alike are told to be so")
    func alike() {
        var madeUp = MadeUp()
        madeUp.costs = [("get-key", "read one", [MadeUp.Cost](repeating: .init(seconds: 1e-6), count: 3))]
        madeUp.noise = 0.08
        madeUp.rows = [1_000]
        let sentences = Findings(madeUp.comparison()).sentences
        #expect(!sentences.contains { $0.contains(" suits ") })
        #expect(sentences.contains { $0.hasPrefix("Alike within the noise: reading by key (") })
    }

    @Test("too few rounds decide nothing, and the memory is not spoken of")
    func fewRounds() {
        var madeUp = MadeUp()
        madeUp.rounds = 1
        let sentences = Findings(madeUp.comparison()).sentences
        #expect(
            sentences.contains {
                $0.hasPrefix("Not decided, for lack of rounds or of right answers: filling, ")
            })
        #expect(
            !sentences.contains { $0.contains(" suits ") || $0.contains("memory") || $0.contains("grows") })
    }

    @Test("wrong answers and an early end come first")
    func warnings() {
        let sentences = Findings(MadeUp.damaged()).sentences
        #expect(sentences[0].hasPrefix("flatfile answered otherwise than sqlite"))
        #expect(sentences[1].hasPrefix("The comparison is incomplete"))
        #expect(!sentences.contains { $0.contains("Alike") && $0.contains("flatfile") })
        #expect(!sentences.contains { $0.contains("durable") })
    }

    @Test("of nothing nothing is said, and of one storage nothing is compared")
    func little() {
        var comparison = MadeUp().comparison()
        comparison.subjects.removeLast(2)
        comparison.results.removeAll { $0.subject != "sqlite" }
        let sentences = Findings(comparison).sentences
        #expect(sentences == ["Only one storage was measured, so there is nothing to compare it with."])
        comparison.results = []
        #expect(Findings(comparison).sentences == ["Nothing was measured, so nothing can be said."])
    }
}
