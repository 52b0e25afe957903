/// Ordinary texts, and texts used to attack terminals.
enum HostileTexts {
    /// Ordinary texts, which must be printed unchanged.
    static let ordinary = [
        "", "octocat", "two words", "a\\b", #"\u{1B}"#, "Zoë", "Zoe\u{308}", "A\u{30A}\u{327}", "Ελλάδα",
        "Фёдор", "Հայ",
        "中文", "日本語", "한국어", "\u{1112}\u{1161}\u{11AB}", "العربية", "עִבְרִית", "فارسی", "می\u{200C}خواهم",
        "ภาษาไทย",
        "हिन्दी", "क्\u{200D}ष", "ক্\u{200C}ষ", "നന്\u{200D}", "ខ្មែរ\u{200B}ភាសា", "ᠮᠣᠩᠭᠣᠯ\u{180E}ᠠ",
        "ᠭ\u{180B}",
        "葛\u{E0100}城", "😀", "❤\u{FE0F}", "❤\u{FE0E}", "👍🏽", "☝🏽", "👨\u{200D}👩\u{200D}👧",
        "❤\u{FE0F}\u{200D}🔥",
        "👩🏽\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏿", "🇩🇪", "1\u{FE0F}\u{20E3}", "#\u{20E3}",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "\u{600}١", "\u{E000}", "\u{10FFFD}",
        "\u{FFFD}",
    ]

    /// Texts that must not reach a terminal, and how they are shown.
    static let dangerous: [(text: String, shown: String)] = [
        ("\u{1B}[31mred\u{1B}[0m", #"\u{1B}[31mred\u{1B}[0m"#),
        ("\u{1B}]52;c;cm0=\u{7}", #"\u{1B}]52;c;cm0=\u{7}"#),
        ("\u{9B}31m", #"\u{9B}31m"#), ("nel\u{85}", #"nel\u{85}"#),
        ("a\nb", #"a\nb"#), ("a\r\nb", #"a\r\nb"#), ("a\tb", #"a\tb"#), ("\0", #"\u{0}"#),
        ("\u{7F}", #"\u{7F}"#),
        ("ls\u{2028}ps\u{2029}", #"ls\u{2028}ps\u{2029}"#),
        ("abc\u{202E}def\u{202C}", #"abc\u{202E}def\u{202C}"#), ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#),
        ("admin\u{200E}", #"admin\u{200E}"#), ("\u{200F}a", #"\u{200F}a"#), ("\u{61C}", #"\u{61C}"#),
        ("a\u{200B}b", #"a\u{200B}b"#), ("ad\u{200D}min", #"ad\u{200D}min"#),
        ("ad\u{200C}min", #"ad\u{200C}min"#),
        ("\u{430}\u{200C}\u{434}", "\u{430}\\u{200C}\u{434}"), ("می\u{200C}\u{200C}", "می\u{200C}\\u{200C}"),
        ("😀\u{200D}", #"😀\u{200D}"#), ("\u{200D}😀", #"\u{200D}😀"#), ("a\u{FE0F}", #"a\u{FE0F}"#),
        ("1\u{FE0F}", #"1\u{FE0F}"#), ("😀\u{FE0F}\u{E0101}", "😀\u{FE0F}\\u{E0101}"),
        ("a\u{FE0F}\u{200D}🔥", #"a\u{FE0F}\u{200D}🔥"#),
        ("\u{FEFF}a", #"\u{FEFF}a"#), ("a\u{AD}b", #"a\u{AD}b"#), ("a\u{2060}b", #"a\u{2060}b"#),
        ("a\u{34F}b", #"a\u{34F}b"#), ("\u{3164}", #"\u{3164}"#), ("\u{FFF9}", #"\u{FFF9}"#),
        ("\u{FFFF}", #"\u{FFFF}"#), ("\u{10FFFF}", #"\u{10FFFF}"#),
        ("\u{E0001}", #"\u{E0001}"#), ("a\u{E0061}\u{E007F}", #"a\u{E0061}\u{E007F}"#),
        ("🏴\u{E0061}\u{E007F}", #"🏴\u{E0061}\u{E007F}"#),
        ("a" + marks(33), "a" + marks(31) + #"\u{301}\u{301}"#),
    ]

    static let all =
        ordinary + dangerous.flatMap { [$0.text, $0.shown] } + [
            "a" + marks(500), String(repeating: "👨\u{200D}", count: 100),
            String(repeating: "x", count: 70_000),
            String(repeating: "中", count: 300), " lead", "trail ", "\u{3000}",
        ]

    private static func marks(_ count: Int) -> String { String(repeating: "\u{301}", count: count) }
}
