/// The command line.
struct Options: Sendable {
    var storage = "sqlite"
    /// The folder that the store lies in; the loads want it empty.
    var folder = ""
    var rows: UInt64 = 100_000
    /// How long one workload of repeated operations takes; a quarter more before it warms up.
    var seconds = 1.0
    var seed: UInt64 = 1
    /// What a commit survives: `full`, `normal` or `off`, as `storage.durability`.
    var durability = "full"
    /// A shared library with another generator of rows.
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
                    throw Fault("there is no workload \"\(word)\"\n\(Self.usage)")
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
