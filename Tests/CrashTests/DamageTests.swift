import Foundation
import Patchbay
import PatchbayCore
import PatchbayPlugins
import PatchbayTestKit
import TestSupport
import Testing

/// Damages copies of a storage and checks how the command handles them.
///
/// `PATCHBAY_DAMAGES` sets the number of copies of each storage (`make crash`: 2,000); the default is a few.
@Suite("A damaged storage")
struct DamageTests {
    private static let storages = StoragePlaces.files
    /// Storages with a checksum over every row, in which every changed byte must be noticed.
    private static let checksummed: Set = ["lmdb", "flatfile"]
    private let copies = ProcessInfo.processInfo.environment["PATCHBAY_DAMAGES"].flatMap(Int.init) ?? 12
    /// The exit statuses that are acceptable: `corrupted`, and those for a damaged header, which can look like another
    /// program's file (`invalid configuration`) or like a newer schema (`unsupported`).
    private static let refusals: Set<Int32> = [3, 5, 15]

    @Test("yields correct rows or an error that names the damage", arguments: storages)
    func damaged(_ storage: String) throws {
        let folder = try TemporaryDirectory()
        let whole = folder.path + "/whole", copy = folder.path + "/copy"
        try FileManager.default.createDirectory(atPath: whole, withIntermediateDirectories: true)
        let command = Command(in: folder.path)
        for start in ["1", "1001"] {
            let written = try command.run(
                "selftest", "write", "--store", "\(storage):\(whole)", "--start", start, "--count", "200",
                "--batch", "50")
            try #require(written.status == 0, "\(written.errors)")
        }
        let rows = try command.run("selftest", "verify", "--store", "\(storage):\(whole)").output
        let generator = SeededGenerator.fromEnvironment()
        var unnoticed = 0, refused = 0
        for number in 0..<copies {
            var damage = Damage(seed: generator.seed &+ UInt64(number))
            try FileManager.default.copyItem(atPath: whole, toPath: copy)
            let done = try damage.strike(copy)
            let outcome = try command.run("selftest", "verify", "--store", "\(storage):\(copy)")
            let repeated: Comment = "PATCHBAY_SEED=\(damage.seed): \(done): \(outcome.errors)"
            if outcome.status == 0 {
                if outcome.output != rows { unnoticed += 1 }
                #expect(outcome.output == rows || !Self.checksummed.contains(storage), repeated)
            } else {
                refused += 1
                #expect(Self.refusals.contains(outcome.status), repeated)
                #expect(outcome.errors.contains(copy), repeated)
                #expect(outcome.errors.split(separator: "\n").count == 1, repeated)
            }
            try FileManager.default.removeItem(atPath: copy)
        }
        print(
            "\(storage): \(copies) damaged copies from seed \(generator.seed): \(refused) refused, "
                + "\(unnoticed) with other rows, the rest correct")
    }
}

/// Damage to one file, reproducible from a seed.
private struct Damage {
    let seed: UInt64
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// Damages a file in the folder and returns a description.
    mutating func strike(_ folder: String) throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().filter {
            var isFolder: ObjCBool = false
            let path = "\(folder)/\($0)"
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && !(FileManager.default.contents(atPath: path) ?? Data()).isEmpty
        }
        let name = try #require(names.randomElement(using: &generator))
        let url = URL(fileURLWithPath: "\(folder)/\(name)")
        var bytes = [UInt8](try Data(contentsOf: url))
        let how = damage(&bytes)
        // The file is changed in place, so that holes and its mode are preserved.
        let file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: Data(bytes))
        try file.truncate(atOffset: UInt64(bytes.count))
        try file.close()
        return "\(name): \(how)"
    }

    private mutating func damage(_ bytes: inout [UInt8]) -> String {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5:
            let bit = Int.random(in: 0..<8, using: &generator)
            bytes[place] ^= 1 << bit
            return "bit \(bit) of byte \(place) flipped"
        case 5, 6:
            let end = min(place + 512, bytes.count)
            for position in place..<end { bytes[position] = .random(in: .min ... .max, using: &generator) }
            return "bytes \(place)..<\(end) random"
        case 7:
            let start = place / 4_096 * 4_096, end = min(start + 4_096, bytes.count)
            for position in start..<end { bytes[position] = 0 }
            return "bytes \(start)..<\(end) zero"
        case 8:
            bytes.removeLast(bytes.count - place)
            return "cut to \(place) bytes"
        default:
            let other = Int.random(in: 0..<bytes.count, using: &generator)
            bytes.swapAt(place, other)
            return "bytes \(place) and \(other) swapped"
        }
    }
}
