import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Recent answers of the proxy")
struct RecentAnswersTests {
    private static let digest = AnswerDigest(secret: Array(repeating: 7, count: AnswerDigest.secretBytes))

    private static func answer(_ number: Int, bodyBytes: Int, fields: HTTPFields = [:]) -> StoredAnswer {
        let target = "https://api.example.org/\(number)", now = Timestamp(milliseconds: 0)
        let path = digest(target)
        return StoredAnswer(
            place: AnswerPlace(path: path, address: path, partition: 0), variant: UInt128(number),
            target: target, selecting: [], status: 200, fields: fields,
            body: Array(repeating: 0x78, count: bodyBytes),
            requestedAt: now, receivedAt: now, isFullLastPage: false, usedAt: now)
    }

    @Test("whatever is stored, the memory stays within the limit, and the newest answers are found")
    func limit() {
        let bytesMax = 200_000
        var random = SeededGenerator.fromEnvironment()
        var recent = RecentAnswers(bytesMax: bytesMax), usedMax = 0
        for _ in 1...2_000 {
            let number = Int.random(in: 1...100, using: &random)
            let place = Self.answer(number, bodyBytes: 0).place
            switch Int.random(in: 0...9, using: &random) {
            case 0: recent.remove(paths: [place.path])
            case 1...3: _ = recent.answers(at: place)
            default:
                let answers = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    Self.answer(number, bodyBytes: Int.random(in: 0...60_000, using: &random))
                }
                recent.set(answers, at: place)
                let isKept = answers.reduce(128) { $0 + $1.memoryBytes } <= bytesMax / 2
                let found = recent.answers(at: place)?.map(\.body.count)
                #expect(found == (isKept ? answers.map(\.body.count) : nil), "PATCHBAY_SEED=\(random.seed)")
            }
            #expect(recent.bytes <= bytesMax, "PATCHBAY_SEED=\(random.seed)")
            usedMax = max(usedMax, recent.bytes)
        }
        #expect(usedMax > bytesMax / 2, "PATCHBAY_SEED=\(random.seed)")
    }

    @Test("an answer costs its body twice if its addresses may be rewritten, and more than its fields")
    func cost() {
        let fields: HTTPFields = [.contentType: "application/json", .eTag: String(repeating: "e", count: 64)]
        let (plain, json) = (
            Self.answer(1, bodyBytes: 2_048), Self.answer(1, bodyBytes: 2_048, fields: fields)
        )
        #expect(plain.memoryBytes > 2_048 + 1_000)
        #expect(json.memoryBytes > 2 * 2_048 + 1_000 + 64)
        #expect(json.memoryBytes < 8_192)
    }
}
