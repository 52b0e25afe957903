/// What a comparison asks of the process that measures a subject.
enum BenchRequest: Sendable, Hashable {
    /// Whom to measure; the first request.
    case setUp(BenchSetup)
    /// An empty storage for a dataset of so many rows.
    case begin(Dataset, rows: Int)
    /// The workload that comes now.
    case prepare(workload: String)
    case beginRound
    /// A turn of the workload; what it does follows from its number.
    case turn(number: Int)
    case endRound
    /// The workload has ended: what do its collections hold?
    case finish
    /// The digests of the answers of the last turn's operations.
    case digests
    /// What an operation of the last turn asked and was answered.
    case answer(operation: Int)
    /// The digests of one of the storage's collections, a part after the other; none behind the last collection.
    case contents(collection: Int)
    /// The rows of one part.
    case contentRows(collection: Int, part: Int)
    /// Nothing comes any more; files are to be removed.
    case end
}

extension BenchRequest {
    var bytes: [UInt8] {
        var wire = WireWriter()
        switch self {
        case .setUp(let setup):
            wire.put(0)
            wire.put(setup)
        case .begin(let dataset, let rows):
            wire.put(1)
            wire.put(dataset.rawValue)
            wire.put(rows)
        case .prepare(let workload):
            wire.put(2)
            wire.put(workload)
        case .beginRound: wire.put(3)
        case .turn(let number):
            wire.put(4)
            wire.put(number)
        case .endRound: wire.put(5)
        case .finish: wire.put(6)
        case .digests: wire.put(7)
        case .answer(let operation):
            wire.put(8)
            wire.put(operation)
        case .contents(let collection):
            wire.put(9)
            wire.put(collection)
        case .contentRows(let collection, let part):
            wire.put(10)
            wire.put(collection)
            wire.put(part)
        case .end: wire.put(11)
        }
        return wire.bytes
    }

    init(bytes: [UInt8]) throws {
        var wire = WireReader(bytes)
        switch try wire.integer() {
        case 0: self = .setUp(try wire.setup())
        case 1:
            guard let dataset = Dataset(rawValue: try wire.text()) else { throw WireReader.fault }
            self = .begin(dataset, rows: try wire.integer())
        case 2: self = .prepare(workload: try wire.text())
        case 3: self = .beginRound
        case 4: self = .turn(number: try wire.integer())
        case 5: self = .endRound
        case 6: self = .finish
        case 7: self = .digests
        case 8: self = .answer(operation: try wire.integer())
        case 9: self = .contents(collection: try wire.integer())
        case 10: self = .contentRows(collection: try wire.integer(), part: try wire.integer())
        case 11: self = .end
        default: throw WireReader.fault
        }
    }
}

extension WireWriter {
    fileprivate mutating func put(_ setup: BenchSetup) {
        put(setup.storage)
        put(list: setup.settings) { $0.put($1) }
        put(setup.folder)
        put(setup.seed)
        put(setup.threads)
        put(setup.recording)
        put(setup.isAlone)
    }

    mutating func put(_ pair: NameAndValue) {
        put(pair.name)
        put(pair.value)
    }
}

extension WireReader {
    fileprivate mutating func setup() throws -> BenchSetup {
        BenchSetup(
            storage: try text(), settings: try list { try $0.pair() }, folder: try text(),
            seed: try number(), threads: try integer(), recording: try optionalText(), isAlone: try bool())
    }

    mutating func pair() throws -> NameAndValue { NameAndValue(try text(), try text()) }
}
