import CSQLite
import PatchbaySystem

/// The functions `instr`, `replace`, `trim`, `ltrim` and `rtrim`, with SQLite's results.
///
/// SQLite's own compare each place of a text with all of another one, which takes hours for texts of a few megabytes,
/// and nothing can interrupt a function. The time of these is proportional to the size of their arguments.
enum TextFunctions {
    static func register(with handle: OpaquePointer) {
        unsafe add("instr", 2, handle) { context, _, values in unsafe TextFunctions.instr(context!, values!) }
        unsafe add("replace", 3, handle) { context, _, values in
            unsafe TextFunctions.replace(context!, values!)
        }
        for count: Int32 in 1...2 {
            unsafe add("trim", count, handle) { context, count, values in
                unsafe TextFunctions.trim(context!, count, values!, start: true, end: true)
            }
            unsafe add("ltrim", count, handle) { context, count, values in
                unsafe TextFunctions.trim(context!, count, values!, start: true, end: false)
            }
            unsafe add("rtrim", count, handle) { context, count, values in
                unsafe TextFunctions.trim(context!, count, values!, start: false, end: true)
            }
        }
    }

    private typealias Values = UnsafeMutablePointer<OpaquePointer?>

    private static func add(
        _ name: String, _ count: Int32, _ handle: OpaquePointer,
        _ function: @convention(c) (OpaquePointer?, Int32, Values?) -> Void
    ) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        unsafe sqlite3_create_function_v2(handle, name, count, flags, nil, function, nil, nil, nil)
    }

    /// The bytes of a value as a text; nil for null. They are valid until the value is converted.
    private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard let start = unsafe sqlite3_value_text(value) else { return nil }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    // MARK: instr

    private static func instr(_ context: OpaquePointer, _ values: Values) {
        let isBytes =
            unsafe sqlite3_value_type(values[0]) == SQLITE_BLOB
            && sqlite3_value_type(values[1]) == SQLITE_BLOB
        guard let all = unsafe text(values[0]), let part = unsafe text(values[1]) else { return }
        var found = unsafe all.firstPlace(of: part)
        // A text that begins within a character is found only at the beginning.
        if !isBytes, unsafe part.first.map(isContinuation) == true {
            found = unsafe all.starts(with: part) ? 0 : nil
        }
        guard let found else { return unsafe sqlite3_result_int(context, 0) }
        let before = unsafe UnsafeRawBufferPointer(rebasing: all[..<found])
        let count = unsafe isBytes ? found : before.count { !isContinuation($0) }
        unsafe sqlite3_result_int(context, Int32(count) + 1)
    }

    // MARK: replace

    private static func replace(_ context: OpaquePointer, _ values: Values) {
        guard let all = unsafe text(values[0]), let part = unsafe text(values[1]) else { return }
        // For SQLite, a text that begins with U+0000 is empty.
        if unsafe part.first ?? 0 == 0 { return unsafe sqlite3_result_value(context, values[0]) }
        guard let new = unsafe text(values[2]) else { return }
        var result: [UInt8] = [], rest = unsafe all
        while let place = unsafe rest.firstPlace(of: part) {
            unsafe result.append(contentsOf: rest[..<place])
            unsafe result.append(contentsOf: new)
            if result.count > Int(SQLLimits.valueBytesMax) {
                return unsafe sqlite3_result_error_toobig(context)
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(place + part.count)...])
        }
        unsafe result.append(contentsOf: rest)
        unsafe result.withUnsafeBytes { unsafe RowCursor.write($0, to: context) }
    }

    // MARK: trim

    private static func trim(
        _ context: OpaquePointer, _ count: Int32, _ values: Values, start: Bool, end: Bool
    ) {
        guard var rest = unsafe text(values[0]) else { return }
        var characters: Set<UInt32> = [UInt32(UInt8(ascii: " "))]
        if count == 2 {
            guard var set = unsafe text(values[1]) else { return }
            // For SQLite, the set ends before U+0000.
            characters = []
            while unsafe set.first ?? 0 != 0 {
                let size = unsafe firstCharacter(set)
                characters.insert(unsafe code(set[..<size]))
                unsafe set = UnsafeRawBufferPointer(rebasing: set[size...])
            }
        }
        while start, unsafe !rest.isEmpty {
            let size = unsafe firstCharacter(rest)
            guard characters.contains(unsafe code(rest[..<size])) else { break }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        }
        while end, unsafe !rest.isEmpty {
            let last = unsafe lastCharacter(rest)
            guard characters.contains(unsafe code(rest[last...])) else { break }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[..<last])
        }
        unsafe RowCursor.write(rest, to: context)
    }

    /// The maximum size of a character of UTF-8.
    private static let sizeMax = 4

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    private static func firstCharacter(_ text: UnsafeRawBufferPointer) -> Int {
        guard unsafe text[0] >= 0xC0 else { return 1 }
        return unsafe 1 + text.dropFirst().prefix(sizeMax - 1).prefix(while: isContinuation).count
    }

    /// The place of the last character.
    private static func lastCharacter(_ text: UnsafeRawBufferPointer) -> Int {
        let tail = unsafe text.suffix(sizeMax)
        let start = unsafe tail.lastIndex { !isContinuation($0) } ?? text.count - 1
        return unsafe text[start] >= 0xC0 ? start : text.count - 1
    }

    /// The bytes of a character as a number.
    private static func code(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt32 {
        unsafe bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
