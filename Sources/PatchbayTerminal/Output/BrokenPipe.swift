/// The reader of the output has closed it, as in `patchbay list users | head`.
///
/// This is not a failure: the command stops and exits with the status of success.
package struct BrokenPipe: Error {
    package init() {}
}
