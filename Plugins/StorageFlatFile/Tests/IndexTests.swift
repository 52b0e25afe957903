import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("index files")
struct IndexTests {
    @Test("runs and memory together answer like one sorted dictionary", arguments: [8, 40, 480])
    func merged(_ keyBytesMax: Int) async throws {
        try await TemporaryDirectory.with { directory in
            var generator = SeededGenerator.fromEnvironment()
            let folder = try RunFolder(Folder(directory.path, Disk()), isSynced: false)
            // The bytes up to the first 0 of a key are its sole part, so filters contain them.
            var index = IndexState(SolePart([SolePart.Field(isOptional: false, isInteger: false)]))
            var model: [[UInt8]: Place] = [:]
            for step in 1...6000 {
                let key = IndexTests.key(keyBytesMax, &generator)
                let isDeletion = Int.random(in: 0..<4, using: &generator) == 0
                let place = isDeletion ? .deleted : Place(offset: step, length: step)
                model[key] = isDeletion ? nil : place
                unsafe key.withUnsafeBytes { unsafe index.delta.set($0, place) }
                if Int.random(in: 0..<700, using: &generator) == 0 { try index.flush(folder, mergingBy: 1) }
            }
            try IndexTests.compare(index, model, &generator)
            try index.flush(folder, mergingBy: 1000)
            #expect(index.runs.count == 1)
            #expect(index.runs[0].entryCount == model.count)
            try IndexTests.compare(index, model, &generator)
        }
    }

    private static func compare(
        _ index: IndexState, _ model: [[UInt8]: Place], _ generator: inout SeededGenerator
    ) throws {
        let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        for key in sorted {
            #expect(try unsafe key.withUnsafeBytes { try unsafe index.find($0) } == model[key])
        }
        for place in stride(from: 0, to: sorted.count, by: max(1, sorted.count / 50)) {
            let key = sorted[place]
            guard let end = key.firstIndex(of: 0) else { continue }
            let part = Array(key[...end]), expected = sorted.filter { $0.starts(with: part) }
            let range = KeyRange(lower: part, upper: KeyEncoding.successor(part))
            #expect(try walk(index, range, .ascending) == expected, "seed \(generator.seed)")
            try unsafe part.withUnsafeBytes { part in
                let isInDelta = unsafe index.delta.holds(prefix: part, at: index.delta.spot(of: part))
                let isInRuns = try unsafe index.runsHold(sole: part)
                #expect(isInDelta || isInRuns, "seed \(generator.seed)")
            }
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

    @Test("only the range of one sole part counts as one")
    func soleRanges() {
        let index = IndexState(SolePart([SolePart.Field(isOptional: false, isInteger: false)]))
        #expect(index.isSole(KeyRange(lower: [5, 0], upper: [5, 1])))
        #expect(!index.isSole(KeyRange(lower: [5], upper: [6])))
        #expect(!index.isSole(KeyRange(lower: [5, 0], upper: [6, 1])))
        #expect(!index.isSole(KeyRange(lower: [5, 0], upper: [5, 2])))
        #expect(!index.isSole(KeyRange(lower: [5, 0], upper: nil)))
    }

    @Test("the position of any key in a page is found")
    func positions() {
        for count in [1, 2, 3, 7, 8, 9, 60] {
            let page = Page()
            let keys = (0..<count).map { number in Array("shared beginning \(100 + 2 * number)".utf8) }
            for (slot, key) in keys.enumerated() {
                let fits = unsafe key.withUnsafeBytes {
                    unsafe page.insert($0, Place(offset: slot, length: 1), at: slot)
                }
                #expect(fits)
            }
            for number in 99...(101 + 2 * count) {
                let key = Array("shared beginning \(number)".utf8)
                let expected = (keys.count { $0.lexicographicallyPrecedes(key) }, keys.contains(key))
                let found = unsafe key.withUnsafeBytes { unsafe page.view.position(of: $0) }
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

    @Test("with no entries in memory, runs that are due are merged and no others")
    func mergedAlone() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = try RunFolder(Folder(directory.path, Disk()), isSynced: false)
            var index = IndexState(.nothing)
            for letter in [UInt8(1), 2, 3] {
                for number in 0..<(letter == 1 ? 100 : 10) {
                    unsafe [letter, UInt8(number)].withUnsafeBytes {
                        unsafe index.delta.set($0, Place(offset: number, length: 1))
                    }
                }
                try index.flush(folder, mergingBy: 0)
            }
            try index.flush(folder, mergingBy: 0)
            #expect(index.runs.map(\.entryCount) == [10, 10, 100])
            try index.flush(folder, mergingBy: 1)
            #expect(index.runs.map(\.entryCount) == [20, 100])
            try index.flush(folder, mergingBy: 8)
            #expect(index.runs.map(\.entryCount) == [120])
        }
    }

    @Test("above a number of index files, those that are due are merged even by a flush that merges none")
    func tooMany() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = try RunFolder(Folder(directory.path, Disk()), isSynced: false)
            var index = IndexState(.nothing)
            for number in 0...(IndexState.runsMax + 1) {
                #expect(index.runs.count == number)
                unsafe [UInt8(number)].withUnsafeBytes {
                    unsafe index.delta.set($0, Place(offset: number, length: 1))
                }
                try index.flush(folder, mergingBy: 0)
            }
            #expect(index.runs.map(\.entryCount) == [IndexState.runsMax + 2])
        }
    }

    @Test("a run that was truncated or changed at any byte is refused or detected, never misread")
    func damagedRun() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/1.run", folder = try Folder(directory.path, Disk())
            var writer = try RunWriter(1, in: folder)
            let keys = (0..<300).map { number in Array("key \(1000 + number)".utf8) }
            for (number, key) in keys.enumerated() {
                try unsafe key.withUnsafeBytes {
                    try unsafe writer.append($0, Place(offset: number, length: 1))
                }
            }
            _ = try writer.finish(sync: false)
            let bytes = try Files.read(path)
            for at in stride(from: 0, to: bytes.count, by: 7) {
                var damaged = bytes
                damaged[at] ^= 1 << UInt8(at % 8)
                try Files.write(damaged, path)
                try IndexTests.expectSoundOrRefused(folder, keys)
                try Files.write(Array(bytes[..<at]), path)
                try IndexTests.expectSoundOrRefused(folder, keys)
            }
        }
    }

    private static func expectSoundOrRefused(_ folder: StorageFlatFile.Folder, _ keys: [[UInt8]]) throws {
        guard let run = try Run(folder.open("1.run", .read), readingUpTo: 0) else { return }
        let index = IndexState(.nothing, [run])
        do {
            for (number, key) in keys.enumerated() {
                #expect(
                    try unsafe key.withUnsafeBytes { try unsafe index.find($0) }
                        == Place(offset: number, length: 1))
            }
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted)
            #expect(run.isDamaged)
        }
    }
}
