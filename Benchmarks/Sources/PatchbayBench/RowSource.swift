import BenchmarkRows
import Glibc
import PatchbayDomain

/// Generates the rows to store, each from its number. It uses the generator in this package, or that of a library, so
/// that another program can store equal rows.
struct RowSource: Sendable {
    private let generator: row_generator

    /// - Parameter library: the path of a shared library with the functions `user_id`, `user_login` and `user_gen`,
    ///   of the types in `benchmark_rows.h`.
    init(library: String?) throws {
        guard let library else {
            generator = row_generator_own()
            return
        }
        guard let handle = dlopen(library, RTLD_NOW) else {
            throw Fault("cannot load \"\(library)\": \(dlerror().map { String(cString: $0) } ?? "unknown")")
        }
        func symbol<Function>(_ name: String, _: Function.Type) throws -> Function {
            guard let address = dlsym(handle, name) else { throw Fault("\"\(library)\" has no \(name)") }
            return unsafeBitCast(address, to: Function.self)
        }
        generator = row_generator(
            id: try symbol("user_id", type(of: row_generator_own().id!)),
            login: try symbol("user_login", type(of: row_generator_own().login!)),
            user: try symbol("user_gen", type(of: row_generator_own().user!)))
    }

    func id(_ number: UInt64) -> Int64 { generator.id(number) }

    func login(_ number: UInt64) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ROW_LOGIN_BYTES)) { room in
            let count = generator.login(number, room.baseAddress)
            return String(
                decoding: UnsafeRawBufferPointer(start: room.baseAddress, count: count), as: UTF8.self)
        }
    }

    /// Generates a row.
    ///
    /// - Parameter turn: if not nil, the row is as a source would return it later, without the flag that belongs to
    ///   the user of the store.
    func item(_ number: UInt64, refreshed turn: Int64? = nil) -> Item {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ROW_TEXT_BYTES)) { room in
            var user = row_user()
            _ = generator.user(number, &user, room.baseAddress)
            var builder = ItemBuilder()
            builder.begin(BenchRows.resource)
            if let turn {
                user.numbers.7 += turn
                user.numbers.3 += 1
                builder.set(&user, except: BenchRows.favourite.place)
            } else {
                builder.set(&user)
            }
            // Generated rows are always valid.
            return try! builder.finish()
        }
    }
}
