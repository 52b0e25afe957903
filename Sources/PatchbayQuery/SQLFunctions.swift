import CSQLite

/// The functions that statements may use, and the words for actions that they may not do.
enum SQLFunctions {
    /// None of them reads or writes anything but its arguments, changes the connection, or makes values from nothing
    /// (`zeroblob`, `randomblob`).
    static let allowed = Set(
        [values, texts, times, aggregates, windows, json, mathematics].flatMap { $0.split(separator: " ") }
            .map(String.init))

    private static let values =
        "abs coalesce ifnull iif if likelihood likely max min nullif quote random round sign typeof unlikely"
    private static let texts =
        "char concat concat_ws format glob hex instr length like lower ltrim octet_length printf replace rtrim "
        + "soundex substr substring trim unhex unicode upper"
    private static let times =
        "current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch"
    private static let aggregates = "avg count group_concat median string_agg sum total"
    private static let windows =
        "cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number"
    private static let json =
        "-> ->> json json_array json_array_length json_error_position json_extract json_group_array "
        + "json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace "
        + "json_set json_type json_valid"
    private static let mathematics =
        "acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi "
        + "pow power radians sin sinh sqrt tan tanh trunc"

    /// The refused actions that people may try.
    static let actions: [Int32: String] = [
        SQLITE_INSERT: "inserting", SQLITE_UPDATE: "updating", SQLITE_DELETE: "deleting",
        SQLITE_ATTACH: "ATTACH", SQLITE_DETACH: "DETACH", SQLITE_PRAGMA: "PRAGMA",
        SQLITE_TRANSACTION: "a transaction", SQLITE_SAVEPOINT: "a transaction",
        SQLITE_ANALYZE: "ANALYZE", SQLITE_REINDEX: "REINDEX", SQLITE_ALTER_TABLE: "ALTER TABLE",
        SQLITE_CREATE_TABLE: "CREATE", SQLITE_CREATE_TEMP_TABLE: "CREATE", SQLITE_CREATE_INDEX: "CREATE",
        SQLITE_CREATE_TEMP_INDEX: "CREATE", SQLITE_CREATE_VIEW: "CREATE", SQLITE_CREATE_TEMP_VIEW: "CREATE",
        SQLITE_CREATE_TRIGGER: "CREATE", SQLITE_CREATE_TEMP_TRIGGER: "CREATE", SQLITE_CREATE_VTABLE: "CREATE",
        SQLITE_DROP_TABLE: "DROP", SQLITE_DROP_VTABLE: "DROP", SQLITE_DROP_INDEX: "DROP",
        SQLITE_DROP_VIEW: "DROP", SQLITE_DROP_TRIGGER: "DROP",
    ]
}
