import CSQLite

/// Files of SQLite that are in memory, for what statements sort and keep.
///
/// With temporary files, SQLite sorts pieces that fit into the processor's cache, and merges them, which takes half of
/// the time of sorting 1,000,000 rows that are each in memory of their own, and leaves no gaps in the memory of the
/// process. SQLite's own file system in memory, `memdb`, doubles the size of a file that is full, so a statement would
/// reach its limit of memory with half of the rows; these files grow by pieces.
enum MemoryFiles {
    /// The name under which a connection opens the file system; nil if SQLite was built without the one that it is
    /// made from.
    static let name: String? = {
        guard let memory = unsafe sqlite3_vfs_find("memdb") else { return nil }
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe system.initialize(to: memory.pointee)
        let name: StaticString = "patchbay-memory"
        unsafe system.pointee.zName = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        unsafe system.pointee.pNext = nil
        unsafe system.pointee.szOsFile = Int32(MemoryLayout<File>.size)
        unsafe system.pointee.xOpen = { _, _, file, flags, flagsOut in
            let opened = unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: File.self)
            unsafe opened.initialize(to: File())
            unsafe opened.pointee.base.pMethods = UnsafePointer(methods)
            if let flagsOut = unsafe flagsOut { unsafe flagsOut.pointee = flags | SQLITE_OPEN_MEMORY }
            return SQLITE_OK
        }
        // Lives as long as the process, as SQLite requires.
        return unsafe sqlite3_vfs_register(system, 0) == SQLITE_OK ? "\(name)" : nil
    }()

    /// SQLite's object for a file, and its pieces.
    @unsafe private struct File {
        var base = unsafe sqlite3_file()
        var pieces: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        var pieceCount = 0
        /// The pieces for which the list has room.
        var room = 0
        var size = 0
    }

    /// Nothing changes them.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        var functions = sqlite3_io_methods()
        functions.iVersion = 1
        unsafe functions.xClose = { unsafe shorten(file($0), toPieces: 0) }
        unsafe functions.xRead = { unsafe read(file($0), $1!, Int($2), Int($3)) }
        unsafe functions.xWrite = { unsafe write(file($0), $1!, Int($2), Int($3)) }
        unsafe functions.xTruncate = { unsafe truncate(file($0), Int($1)) }
        unsafe functions.xFileSize = { opened, size in
            unsafe size!.pointee = Int64(file(opened).pointee.size)
            return SQLITE_OK
        }
        unsafe functions.xSync = { _, _ in SQLITE_OK }
        unsafe functions.xLock = { _, _ in SQLITE_OK }
        unsafe functions.xUnlock = { _, _ in SQLITE_OK }
        unsafe functions.xCheckReservedLock = { _, isLocked in
            unsafe isLocked!.pointee = 0
            return SQLITE_OK
        }
        unsafe functions.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        unsafe functions.xDeviceCharacteristics = { _ in
            SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND
                | SQLITE_IOCAP_SEQUENTIAL
        }
        unsafe methods.initialize(to: functions)
        return unsafe methods
    }()

    private static let pieceBytes = 64 << 10

    @inline(__always)
    private static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<File> {
        unsafe UnsafeMutableRawPointer(file!).assumingMemoryBound(to: File.self)
    }

    /// Bytes after the end are zero.
    private static func read(
        _ file: UnsafeMutablePointer<File>, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: Int
    ) -> Int32 {
        let stored = unsafe max(0, min(count, file.pointee.size - offset))
        var done = 0
        while done < stored {
            let (piece, place) = (offset + done).quotientAndRemainder(dividingBy: pieceBytes)
            let part = min(stored - done, pieceBytes - place)
            unsafe (bytes + done).copyMemory(from: file.pointee.pieces![piece]! + place, byteCount: part)
            done += part
        }
        if stored == count { return SQLITE_OK }
        unsafe (bytes + stored).initializeMemory(as: UInt8.self, repeating: 0, count: count - stored)
        return SQLITE_IOERR | 2 << 8  // SQLITE_IOERR_SHORT_READ, which Swift does not import.
    }

    private static func write(
        _ file: UnsafeMutablePointer<File>, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int
    ) -> Int32 {
        let end = offset + count
        while unsafe file.pointee.pieceCount * pieceBytes < end {
            guard unsafe addPiece(file) else { return SQLITE_FULL }
        }
        var done = 0
        while done < count {
            let (piece, place) = (offset + done).quotientAndRemainder(dividingBy: pieceBytes)
            let part = min(count - done, pieceBytes - place)
            unsafe (file.pointee.pieces![piece]! + place).copyMemory(from: bytes + done, byteCount: part)
            done += part
        }
        unsafe file.pointee.size = max(file.pointee.size, end)
        return SQLITE_OK
    }

    /// Adds a piece of zeros, which SQLite counts.
    private static func addPiece(_ file: UnsafeMutablePointer<File>) -> Bool {
        if unsafe file.pointee.pieceCount == file.pointee.room {
            let room = unsafe max(16, file.pointee.room * 2)
            let bytes = UInt64(room * MemoryLayout<Int>.stride)
            guard let list = unsafe sqlite3_realloc64(file.pointee.pieces, bytes) else { return false }
            unsafe file.pointee.pieces = list.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            unsafe file.pointee.room = room
        }
        guard let piece = unsafe sqlite3_malloc64(UInt64(pieceBytes)) else { return false }
        unsafe piece.initializeMemory(as: UInt8.self, repeating: 0, count: pieceBytes)
        unsafe file.pointee.pieces![file.pointee.pieceCount] = piece
        unsafe file.pointee.pieceCount += 1
        return true
    }

    private static func truncate(_ file: UnsafeMutablePointer<File>, _ size: Int) -> Int32 {
        guard unsafe size < file.pointee.size else { return SQLITE_OK }
        unsafe file.pointee.size = size
        let (whole, rest) = size.quotientAndRemainder(dividingBy: pieceBytes)
        if rest > 0 {
            // Bytes between this end and a later one are zero.
            let end = unsafe file.pointee.pieces![whole]! + rest
            unsafe end.initializeMemory(as: UInt8.self, repeating: 0, count: pieceBytes - rest)
        }
        return unsafe shorten(file, toPieces: whole + (rest > 0 ? 1 : 0))
    }

    private static func shorten(_ file: UnsafeMutablePointer<File>, toPieces count: Int) -> Int32 {
        while unsafe file.pointee.pieceCount > count {
            unsafe file.pointee.pieceCount -= 1
            unsafe sqlite3_free(file.pointee.pieces![file.pointee.pieceCount])
        }
        if count == 0 {
            unsafe sqlite3_free(file.pointee.pieces)
            unsafe (file.pointee.pieces, file.pointee.room) = (nil, 0)
        }
        return SQLITE_OK
    }
}
