import PatchbayCore
@testable import PatchbayTestKit

/// Rows with every value that a storage or a file format may get wrong.
enum Hostile {
    static let texts = [
        "", " ", "\"", "\"\"", ",", "a,b\"c\nd\r\ne", "\n", "\r", "\\", "\\n", "null", "\u{2028}\u{2029}",
        "\u{1B}[31m",
        "\u{FEFF}bom", "😀", "👩‍👩‍👧", "e\u{301}", "\u{E9}", "\u{7F}\u{80}\u{9F}", "\u{1}", "=1+1",
        "'; DROP TABLE users; --",
        "{\"_collection\":\"pages\"}", "\u{10FFFF}", "\t tab", "İstanbul", "=1",
        String(repeating: "ü", count: 100),
    ]
    static let integers: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -1, 0, 1, 1 << 53, 1 << 53 + 1, .max - 1, .max,
    ]
    static let reals = [
        0, -0.0, 0.1, 1 / 3, 1e300, -1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
        .leastNormalMagnitude,
        .infinity, -.infinity, 123_456_789.123_456_789, 9_007_199_254_740_992,
    ]

    static let people: [Values] = (0..<60).map { number in
        let text = texts[number % texts.count]
        return [
            .integer(number < integers.count ? integers[number] : Int64(number * 1_000)),
            .text("login \(number)"),
            number % 3 == 0 ? nil : .text(text), .integer(integers[number % integers.count]),
            number % 4 == 0 ? nil : .integer(Int64(number % 7)), .real(reals[number % reals.count]),
            number % 5 == 0 ? nil : .real(reals[(number + 3) % reals.count]),
            .bytes(number == 1 ? (0...255).map { $0 } : Array(repeating: UInt8(number), count: number % 5)),
            number % 2 == 0 ? nil : .bytes([]),
        ]
    }

    static let pages: [Values] = texts.enumerated().map { number, text in
        let body = String(repeating: text, count: number == 1 ? 70_000 : 3)
        return Sample.page(
            text, etag: number % 2 == 0 ? nil : .text(text), visits: Int64(number), body: .text(body))
    }

    static let issues: [Values] = texts.enumerated().map { number, text in
        Sample.issue(
            String(text.prefix(50)), Int64(number) - 5, "title \(number)\(text)",
            assignee: number % 3 == 0 ? "" : nil)
    }

    static func fill(_ storage: any Storage) async throws {
        try await storage.put(people, in: Sample.people)
        try await storage.put(pages, in: Sample.pages)
        try await storage.put(issues, in: Sample.issues)
    }
}
