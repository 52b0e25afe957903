import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("index files")
struct IndexTests {
    @Test(
        "pages in memory and in the file answer like one sorted dictionary, and snapshots do not change",
        arguments: [8, 40, 480])
    func model(_ keyBytesMax: Int) async throws {
        try await TemporaryDirectory.with { directory in
            var generator = SeededGenerator.fromEnvironment()
            let file = try IndexFile(in: Folder(directory.path, Disk()))
            var index = IndexState(file), model: [[UInt8]: Place] = [:]
            var older = (index: index, model: model)
            for step in 1...6000 {
                let key = IndexTests.key(keyBytesMax, &generator)
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    model[key] = nil
                    try unsafe key.withUnsafeBytes { try unsafe index.remove($0) }
                } else {
                    model[key] = Place(offset: step, length: step)
                    try unsafe key.withUnsafeBytes { try unsafe index.set($0, model[key]!) }
                }
                if Int.random(in: 0..<700, using: &generator) == 0 { try index.writeOut() }
                if step == 3000 { older = (index, model) }
            }
            try IndexTests.compare(index, model, &generator)
            try IndexTests.compare(older.index, older.model, &generator)
            try index.writeOut()
            let root = try #require(index.root?.reference), level = index.root!.level
            for isWhole in [true, false] {
                let loaded = try file.load(root, level: level, whole: isWhole)
                try IndexTests.compare(IndexState(file, loaded), model, &generator)
            }
            for key in model.keys { try unsafe key.withUnsafeBytes { try unsafe index.remove($0) } }
            #expect(index.root == nil)
            try IndexTests.compare(index, [:], &generator)
        }
    }

    private static func compare(
        _ index: IndexState, _ model: [[UInt8]: Place], _ generator: inout SeededGenerator
    ) throws {
        let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        for key in sorted {
            #expect(try unsafe key.withUnsafeBytes { try unsafe index.find($0) } == model[key])
        }
        for _ in 0..<200 {
            let part = Array(key(8, &generator).prefix(Int.random(in: 1...8, using: &generator)))
            let expected = sorted.filter { $0.starts(with: part) }
            let range = KeyRange(lower: part, upper: KeyEncoding.successor(part))
            #expect(try walk(index, range, .ascending) == expected, "seed \(generator.seed)")
            let isHeld = try unsafe part.withUnsafeBytes { try unsafe index.holds(prefix: $0) }
            #expect(isHeld == !expected.isEmpty, "seed \(generator.seed)")
        }
        for _ in 0..<30 {
            let lower = key(8, &generator), upper = Bool.random(using: &generator) ? key(8, &generator) : nil
            let expected = sorted.filter { key in
                !key.lexicographicallyPrecedes(lower)
                    && upper.map { key.lexicographicallyPrecedes($0) } ?? true
            }
            let range = KeyRange(lower: lower, upper: upper)
            #expect(try walk(index, range, .ascending) == expected, "seed \(generator.seed)")
            #expect(try walk(index, range, .descending) == expected.reversed(), "seed \(generator.seed)")
        }
    }

    @Test("the position of any key in a page is found")
    func positions() {
        for count in [1, 2, 3, 7, 8, 9, 60] {
            let page = Page()
            let keys = (0..<count).map { number in Array("shared beginning \(100 + 2 * number)".utf8) }
            for (slot, key) in keys.enumerated() {
                let upper = unsafe key.withUnsafeBytes {
                    unsafe page.insert($0, Place(offset: slot, length: 1), at: slot, isLast: true)
                }
                #expect(upper == nil)
            }
            for number in 99...(101 + 2 * count) {
                let key = Array("shared beginning \(number)".utf8)
                let expected = (keys.count { $0.lexicographicallyPrecedes(key) }, keys.contains(key))
                let found = unsafe key.withUnsafeBytes { unsafe page.position(of: $0) }
                #expect(found == expected)
            }
        }
    }

    private static func walk(_ index: IndexState, _ range: KeyRange, _ order: Query.Order) throws -> [[UInt8]]
    {
        var cursor = try index.walk(range, order), keys: [[UInt8]] = []
        while try cursor.next() != nil { unsafe keys.append(Array(cursor.key)) }
        return keys
    }

    /// Returns keys of few letters, so that many are equal or share a prefix.
    private static func key(_ countMax: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 1...countMax, using: &generator)
        let tail = (0..<3).map { _ in UInt8.random(in: 0...12, using: &generator) }
        let letter = UInt8.random(in: 0...2, using: &generator)
        return [UInt8](repeating: letter, count: count) + tail.prefix(countMax > 400 ? 0 : 3)
    }

    @Test("a file that was truncated or changed at any byte is refused or detected, never misread")
    func damaged() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = try Folder(directory.path, Disk()), file = try IndexFile(in: folder)
            let keys = (0..<300).map { number in Array("key \(1000 + number)".utf8) }
            let index = try IndexTests.filled(file, keys)
            let bytes = try Files.read(file.path)
            for at in stride(from: 0, to: bytes.count, by: 7) {
                var damaged = bytes
                damaged[at] ^= 1 << UInt8(at % 8)
                try Files.write(damaged, file.path)
                try IndexTests.expectSoundOrRefused(file, index.root!, keys)
                try Files.write(Array(bytes[..<at]), file.path)
                try IndexTests.expectSoundOrRefused(file, index.root!, keys)
            }
        }
    }

    /// Returns an index, all of whose pages are in the file.
    static func filled(_ file: IndexFile, _ keys: [[UInt8]]) throws -> IndexState {
        var index = IndexState(file)
        for (number, key) in keys.enumerated() {
            try unsafe key.withUnsafeBytes { try unsafe index.set($0, Place(offset: number, length: 30)) }
        }
        try index.writeOut()
        return index
    }

    private static func expectSoundOrRefused(_ file: IndexFile, _ root: Child, _ keys: [[UInt8]]) throws {
        guard let loaded = try file.load(root.reference!, level: root.level, whole: false) else {
            return
        }
        let index = IndexState(file, loaded)
        do {
            for (number, key) in keys.enumerated() {
                #expect(
                    try unsafe key.withUnsafeBytes { try unsafe index.find($0) }
                        == Place(offset: number, length: 30))
            }
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted)
            #expect(file.isDamaged)
        }
    }
}

extension IndexState {
    /// Writes the changed pages to the file.
    fileprivate mutating func writeOut() throws { self = try written(by: PageWriter(file!)) }
}
