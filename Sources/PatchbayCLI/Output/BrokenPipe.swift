/// Nobody reads the output any more, as with `patchbay users list | head`.
///
/// It is no failure: whoever catches it stops and ends with the status of success.
struct BrokenPipe: Error {}
