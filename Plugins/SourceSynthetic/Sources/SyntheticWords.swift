/// The words of generated texts: common names in several scripts, and words that need quoting in CSV, HTML and SQL.
enum SyntheticWords {
    /// A name in its own script, and its spelling in a login.
    struct Name: Sendable {
        let native: String
        let latin: String

        init(_ native: String, _ latin: String) {
            self.native = native
            self.latin = latin
        }
    }

    static let givenNames: [Name] = [
        Name("Anna", "anna"), Name("Ben", "ben"), Name("Carla", "carla"), Name("David", "david"),
        Name("Elena", "elena"), Name("Farid", "farid"), Name("Grace", "grace"), Name("Hugo", "hugo"),
        Name("Ines", "ines"), Name("João", "joao"), Name("Kofi", "kofi"), Name("Lucía", "lucia"),
        Name("Miroslav", "miroslav"), Name("Nadia", "nadia"), Name("Øyvind", "oyvind"),
        Name("Peter", "peter"),
        Name("Quentin", "quentin"), Name("Rosa", "rosa"), Name("Søren", "soren"), Name("Tomáš", "tomas"),
        Name("Uma", "uma"), Name("Victor", "victor"), Name("Wendy", "wendy"), Name("Zoë", "zoe"),
        Name("Дмитрий", "dmitriy"), Name("Ольга", "olga"), Name("Γιώργος", "giorgos"), Name("Ελένη", "eleni"),
        Name("يوسف", "yusuf"), Name("מרים", "miriam"), Name("अनन्या", "ananya"), Name("राहुल", "rahul"),
        Name("大輔", "daisuke"), Name("さくら", "sakura"), Name("小明", "xiaoming"), Name("梓涵", "zihan"),
        Name("민준", "minjun"), Name("서연", "seoyeon"), Name("สมชาย", "somchai"), Name("Nguyễn", "nguyen"),
        Name("Ірина", "iryna"), Name("Şule", "sule"), Name("Łukasz", "lukasz"), Name("Ægir", "aegir"),
    ]

    static let familyNames: [Name] = [
        Name("Adler", "adler"), Name("Brook", "brook"), Name("Castillo", "castillo"),
        Name("Dubois", "dubois"),
        Name("Eriksson", "eriksson"), Name("Fischer", "fischer"), Name("García", "garcia"),
        Name("Hill", "hill"),
        Name("Ивано́ва", "ivanova"), Name("Jansen", "jansen"), Name("Kowalska", "kowalska"),
        Name("Lopes", "lopes"),
        Name("Müller", "muller"), Name("Novák", "novak"), Name("Okafor", "okafor"), Name("Παππάς", "pappas"),
        Name("Rossi", "rossi"), Name("Schmidt", "schmidt"), Name("山本", "yamamoto"), Name("王", "wang"),
        Name("김", "kim"), Name("शर्मा", "sharma"), Name("Yılmaz", "yilmaz"), Name("O'Neill", "oneill"),
    ]

    static let syllables = [
        "alpha", "bit", "byte", "code", "dev", "echo", "flow", "git", "hub", "io", "jam", "kit", "lab",
        "mesh", "net",
        "ops", "pix", "quark", "rust", "stack", "tech", "unit", "vim", "web", "xyz", "zen", "cloud", "data",
        "node",
    ]

    static let places = [
        "Berlin", "São Paulo", "東京", "Paris, France", "New York, NY", "Bengaluru, India", "Lagos", "London",
        "上海", "서울", "Москва", "Київ", "İstanbul", "القاهرة", "Toronto, Canada", "Kraków", "Zürich", "Earth",
        "San Francisco, CA", "Amsterdam, the Netherlands", "Buenos Aires", "Nairobi", "Melbourne, Australia",
        "🌍",
    ]

    static let words = [
        "a", "the", "and", "of", "for", "with", "building", "software", "engineer", "developer", "maintainer",
        "open", "source", "systems", "databases", "compilers", "networks", "student", "at", "working", "on",
        "distributed", "tools", "writer", "maker", "coffee", "mountains", "music", "former", "now",
        "learning",
        "Rust", "Swift", "Go", "Python", "C++", "résumé", "naïve", "λ", "数据", "開発者", "개발자", "программист",
        "\"quoted\"", "<b>", "a,b", "it's", "100%", "C:\\temp", "#hashtag", "@someone",
        "https://example.org/x?y=1&z",
    ]

    static let emoji = ["🚀", "👩🏽‍💻", "✨", "🇪🇺", "❤️", "🦀", "🐧"]
}
