/// A request to the process that measures a subject.
enum BenchRequest: Sendable, Hashable {
    /// Sets up the subject; the first request.
    case setUp(BenchSetup)
    /// Opens an empty storage for a dataset with a number of rows.
    case begin(Dataset, rows: Int)
    /// Starts a workload.
    case prepare(workload: String)
    case beginRound
    /// Runs a turn of the workload. The number of the turn determines its operations.
    case turn(number: Int)
    case endRound
    /// Ends the workload and returns the digest of its collections.
    case finish
    /// Returns the digests of the answers to the last turn's operations.
    case digests
    /// Returns the query and the answer of an operation of the last turn.
    case answer(operation: Int)
    /// Returns the digests of the parts of a collection of the storage; none after the last collection.
    case contents(collection: Int)
    /// Returns the rows of one of these parts.
    case contentRows(collection: Int, part: Int)
    /// The last request: removes the files.
    case end
}

extension BenchRequest {
    var bytes: [UInt8] {
        switch self {
        case .setUp(let setup): Message.bytes("setUp", setup)
        case .begin(let dataset, let rows): Message.bytes("begin", dataset, rows)
        case .prepare(let workload): Message.bytes("prepare", workload)
        case .beginRound: Message.bytes("beginRound")
        case .turn(let number): Message.bytes("turn", number)
        case .endRound: Message.bytes("endRound")
        case .finish: Message.bytes("finish")
        case .digests: Message.bytes("digests")
        case .answer(let operation): Message.bytes("answer", operation)
        case .contents(let collection): Message.bytes("contents", collection)
        case .contentRows(let collection, let part): Message.bytes("contentRows", collection, part)
        case .end: Message.bytes("end")
        }
    }

    init(bytes: [UInt8]) throws {
        self = try Message.read(bytes) { name, values in
            switch name {
            case "setUp": .setUp(try values.next())
            case "begin": .begin(try values.next(), rows: try values.next())
            case "prepare": .prepare(workload: try values.next())
            case "beginRound": .beginRound
            case "turn": .turn(number: try values.next())
            case "endRound": .endRound
            case "finish": .finish
            case "digests": .digests
            case "answer": .answer(operation: try values.next())
            case "contents": .contents(collection: try values.next())
            case "contentRows": .contentRows(collection: try values.next(), part: try values.next())
            case "end": .end
            default: nil
            }
        }
    }
}

extension BenchSetup: JSONRecord {
    static let empty = BenchSetup(
        storage: "", settings: [], folder: "", seed: 0, threads: 0, recording: nil, isAlone: false)

    static var fields: [JSONField<BenchSetup>] {
        [
            .init("storage", \.storage), .init("settings", \.settings), .init("folder", \.folder),
            .init("seed", \.seed), .init("threads", \.threads), .init("recording", \.recording),
            .init("isAlone", \.isAlone),
        ]
    }
}

extension Dataset: JSONWord {
    static let kind: StaticString = "a dataset"
    var word: String { rawValue }
    init?(word: String) { self.init(rawValue: word) }
}
