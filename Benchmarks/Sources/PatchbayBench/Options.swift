/// The command line.
struct Options: Sendable {
    var storage = "sqlite"
    /// The folder of the store, which must be empty for loads.
    var folder = ""
    var rows: UInt64 = 100_000
    /// The duration of a workload of repeated operations, which is preceded by a warm-up of a quarter of it.
    var seconds = 1.0
    var seed: UInt64 = 1
    /// The durability of a commit, like `storage.durability`: `full`, `normal` or `off`.
    var durability = "full"
    /// A shared library with a different generator of rows.
    var library: String?
    var workloads: [Workload] = []

    static let usage = """
        usage: patchbay-bench --storage sqlite|lmdb|flatfile --data FOLDER --ops OP[,OP...] [--rows N] [--seconds S]
                              [--seed X] [--durability full|normal|off] [--generator LIBRARY.so]
        ops: \(Workload.allCases.map(\.rawValue).joined(separator: " "))
        """

    init(_ arguments: some Sequence<String>) throws {
        var words = arguments.makeIterator()
        while let option = words.next() {
            guard let value = words.next() else { throw Fault("\(option) needs a value\n\(Self.usage)") }
            try set(option, value)
        }
        if folder.isEmpty { throw Fault("--data is missing\n\(Self.usage)") }
        if workloads.isEmpty { throw Fault("--ops is missing\n\(Self.usage)") }
    }

    private mutating func set(_ option: String, _ value: String) throws {
        switch option {
        case "--storage": storage = value
        case "--data": folder = value
        case "--rows": rows = try Self.number(option, value, atLeast: 1_000)
        case "--seed": seed = try Self.number(option, value, atLeast: 0)
        case "--durability": durability = value
        case "--generator": library = value
        case "--seconds":
            guard let number = Double(value), number > 0, number < 3_600 else {
                throw Fault("--seconds \"\(value)\" is not a number of seconds above 0")
            }
            seconds = number
        case "--ops":
            workloads = try value.split(separator: ",").map { word in
                guard let workload = Workload(rawValue: String(word)) else {
                    throw Fault("unknown workload \"\(word)\"\n\(Self.usage)")
                }
                return workload
            }
        default: throw Fault("unknown option \"\(option)\"\n\(Self.usage)")
        }
    }

    private static func number(_ option: String, _ value: String, atLeast least: UInt64) throws -> UInt64 {
        guard let number = UInt64(value), number >= least, number <= 100_000_000 else {
            throw Fault("\(option) \"\(value)\" is not a whole number from \(least) to 100000000")
        }
        return number
    }
}
